import { expect, it } from "vitest";
import { createLog } from "../../src/platform/log.ts";
import { silent } from "../harness/engines.ts";
import { startWithTenants } from "../harness/tenants.ts";

it("an operator changes the level of the log in every process", async () => {
  const lines: string[] = [];
  const first = await startWithTenants("postgres", { log: silent });
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  const second = await startWithTenants({ url: first.location.url ?? "" }, { log });
  try {
    await second.operate("GET", "/jobs");
    expect(lines).toEqual([]);
    expect((await first.operate("PUT", "/log-level", { level: "debug" })).body).toEqual({ level: "debug" });
    await expect.poll(() => lines.length).toBe(1);
    await second.operate("GET", "/jobs");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", newLevel: "debug", msg: "the level of the log was changed" },
      { level: "info", req: { path: "/operations/v1/jobs" }, operator: expect.any(String) },
    ]);
    expect((await first.operate("PUT", "/log-level", { level: "loud" })).status).toBe(400);
  } finally {
    await second.close();
    await first.close();
  }
});
