import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { distribute } from "../../src/cli/distribute.ts";
import { isOnCitus } from "../harness/citus.ts";
import { copyDatabase } from "../harness/engines.ts";
import { TEMPLATE } from "../harness/global-setup.ts";
import { terminal } from "../harness/terminal.ts";

const run = async (env: Record<string, string>) => {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env });
  return { code: await distribute([], io), out, err };
};

describe("shiftpact distribute", () => {
  let url: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const copy = await copyDatabase({ options: `template ${TEMPLATE}` });
    [url, remove] = [copy.where.url, copy.remove];
  });
  afterEach(() => remove());

  it("refuses a database without the extension", async () => {
    expect(await run({ DATABASE_URL: url })).toEqual({
      code: 2,
      out: [],
      err: [expect.stringMatching(/^shiftpact distribute: the database has no extension citus: create it/)],
    });
  });

  it("refuses the embedded database", async () => {
    expect(await run({})).toEqual({
      code: 2,
      out: [],
      err: [expect.stringMatching(/^shiftpact distribute: DATABASE_URL is not set/)],
    });
  });

  it("refuses a database without tables", async () => {
    const copy = await copyDatabase({ empty: true });
    const refused = await run({ DATABASE_URL: copy.where.url });
    await copy.remove();
    expect(refused).toMatchObject({ code: 3, err: [expect.stringMatching(/run `shiftpact migrate`/)] });
  });
});

/** Left out unless CITUS_URL names a database with the extension (the guide for contributors). */
describe.skipIf(!isOnCitus)("a database on Citus", () => {
  it("is distributed once, and then reported as done", async () => {
    const { where, remove } = await copyDatabase();
    const done = { code: 0, out: ["done already: the tables are distributed"], err: [] };
    expect(await run({ DATABASE_URL: where.url })).toEqual(done);
    await remove();
  });
});
