import type { RegistryFault, RegistryImport } from "../../../generated/operations/types.ts";

export function RegistryResult({ imported, updated, skipped, invalid, faults }: RegistryImport) {
  return (
    <>
      <dl class="facts">
        <dt>Imported</dt>
        <dd>{imported}, who were not known</dd>
        <dt>Updated</dt>
        <dd>{updated}, of whom something was missing</dd>
        <dt>Skipped</dt>
        <dd>{skipped}, of whom nothing was missing</dd>
        <dt>Invalid</dt>
        <dd>{invalid}, which could not be used</dd>
      </dl>
      {faults.length > 0 && <Faults faults={faults} invalid={invalid} />}
    </>
  );
}

function Faults({ faults, invalid }: { faults: RegistryFault[]; invalid: number }) {
  return (
    <table>
      <caption>
        {invalid > faults.length
          ? `What was wrong with the first ${faults.length} of ${invalid} entries`
          : "What was wrong"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Entry</th>
          <th scope="col">Why it could not be used</th>
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
