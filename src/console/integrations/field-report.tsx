import type { ProviderReport } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { share, type Use, usesOf } from "./field-uses.ts";

/** How often shifts had each optional field (contract section 2.2). */
export function FieldReport({ fields, shiftsRead }: ProviderReport) {
  const uses = usesOf({ fields });
  if (shiftsRead === 0) return <p class="soft">No shift read yet. Their fields appear here.</p>;
  return (
    <>
      <h3>Optional fields in {counted(shiftsRead, "read")} of shifts</h3>
      <div class="uses">
        <Uses label="Fields of variant A" of={shiftsRead} uses={uses.fields.filter(is("A"))} />
        <Uses label="Fields of variant B" of={shiftsRead} uses={uses.fields.filter(is("B"))} />
        <Uses label="Other fields" of={shiftsRead} uses={uses.fields.filter(is(undefined))} />
        <Uses label="Warnings" of={shiftsRead} uses={uses.warnings} />
      </div>
    </>
  );
}

const is =
  (variant: Use["variant"]) =>
  (use: Use): boolean =>
    use.variant === variant;

function Uses({ label, uses, of }: { label: string; uses: Use[]; of: number }) {
  if (uses.length === 0) return null;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col" class="number">
            Present in
          </th>
        </tr>
      </thead>
      <tbody>
        {uses.map(({ name, count }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">
              {count === 0 ? <span class="soft">not observed yet</span> : share(count, of)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
