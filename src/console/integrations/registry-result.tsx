import type { RegistryFault, RegistryImport } from "../../../generated/operations/types.ts";

export function RegistryResult({ imported, updated, skipped, invalid, faults }: RegistryImport) {
  return (
    <>
      <dl class="facts">
        <dt>Imported</dt>
        <dd>{imported} new candidates</dd>
        <dt>Updated</dt>
        <dd>{updated} candidates with missing data</dd>
        <dt>Skipped</dt>
        <dd>{skipped} candidates without missing data</dd>
        <dt>Invalid</dt>
        <dd>{invalid} unusable entries</dd>
      </dl>
      {faults.length > 0 && <Faults faults={faults} invalid={invalid} />}
    </>
  );
}

function Faults({ faults, invalid }: { faults: RegistryFault[]; invalid: number }) {
  return (
    <table>
      <caption>
        {invalid > faults.length ? `Faults of the first ${faults.length} of ${invalid} entries` : "Faults"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Entry</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {faults.map(({ entry, reason }, index) => (
          <tr key={index}>
            <th scope="row">{entry}</th>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
