import type { RunSql } from "../db/engine.ts";
import type { Header } from "./format.ts";

/** Makes the platform read everything again that may have changed since the backup. */
export async function prepareCatchUp(run: RunSql, _header: Header): Promise<void> {
  await run("update shiftpact.shifts set next_read_at = now()");
}
