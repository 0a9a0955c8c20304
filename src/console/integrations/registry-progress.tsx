import type { ImportProgress } from "./use-import-progress.ts";

interface Props extends ImportProgress {
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
