import type { StreamImport } from "../../../generated/operations/types.ts";

type Counts = Pick<StreamImport, "entries" | "imported" | "updated" | "skipped" | "invalid">;

interface Props extends Counts {
  /** Whether the import was started on this page: the end of any other one is not reported. */
  isRunning: boolean;
}

export function RegistryProgress({ entries, imported, updated, skipped, invalid, isRunning }: Props) {
  return (
    <p role="status">
      <strong>{isRunning ? `${entries} entries read` : `An import read ${entries} entries`}</strong>:{" "}
      {imported} imported, {updated} updated, {skipped} skipped, {invalid} invalid.
    </p>
  );
}
