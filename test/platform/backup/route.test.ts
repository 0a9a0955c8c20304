import { describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../../harness/operations.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";

async function started(engine: "pglite" | "postgres") {
  const harness = await startHarness(engine);
  onTestFinished(harness.close);
  return harness;
}

const get = ({ platform }: Harness) =>
  fetch(`${platform.url}/operations/v1/backup`, {
    headers: { Authorization: `Bearer ${platform.operationsToken}` },
  });

const entries = async ({ operations }: Harness) =>
  ok(await operations.listAudit({ params: { query: { operation: "backup" } } })).items.length;

describe("GET /operations/v1/backup", () => {
  it("of the embedded database is recorded before its first byte; another one meanwhile is to be repeated", async () => {
    const harness = await started("pglite");
    const answers = await Promise.all([get(harness), get(harness)]);
    const [first, second] = answers.sort((one, other) => one.status - other.status);
    expect([first?.status, second?.status, second?.headers.get("retry-after")]).toEqual([200, 503, "30"]);
    expect(Buffer.from((await first?.arrayBuffer()) ?? "").subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(await entries(harness)).toBe(2);
  });

  it("of PostgreSQL is refused with what to do instead, and not recorded", async () => {
    const harness = await started("postgres");
    const response = await get(harness);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: "not_ready", detail: expect.stringContaining("pg_dump") },
    ]);
    expect(await entries(harness)).toBe(0);
  });
});
