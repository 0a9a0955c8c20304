import type { ImportProgress } from "./use-import-progress.ts";

interface Props extends ImportProgress {
  /** Whether it was started here: the end of another one is not told. */
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
