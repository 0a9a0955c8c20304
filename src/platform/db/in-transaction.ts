import type { RunSql } from "./engine.ts";

/** Runs `work` in a transaction of the session, which is rolled back when it fails. */
export async function inTransaction<T>(run: RunSql, work: () => Promise<T>): Promise<T> {
  await run("begin");
  try {
    const result = await work();
    await run("commit");
    return result;
  } catch (error) {
    // Fails itself when the connection is lost, which ends the transaction too.
    await run("rollback").catch(() => undefined);
    throw error;
  }
}
