import { afterEach, describe, expect, it } from "vitest";
import { joinProcesses, type Processes } from "../../../src/platform/db/processes.ts";
import { silent, useEngine } from "../../harness/engines.ts";

describe("the processes on a PostgreSQL", () => {
  const database = useEngine("postgres");
  const joined: Processes[] = [];
  afterEach(() => Promise.all(joined.splice(0).map((process) => process.leave())));

  const join = async (everyMs = 1) => {
    const process = await joinProcesses(database(), silent, everyMs);
    joined.push(process);
    return process;
  };

  it("are counted, as they come and go", async () => {
    const first = await join();
    expect(first.count()).toBe(1);
    const second = await join();
    expect(second.count()).toBe(2);
    await expect.poll(first.count).toBe(2);
    await second.leave();
    await expect.poll(first.count).toBe(1);
  });

  it("are not counted after they ended without a word, and forgotten after a while", async () => {
    const silence = (seconds: number) =>
      database().raw.executeSql(`insert into shiftpact.processes (process_id, seen_at)
        values (gen_random_uuid(), now() - interval '${seconds} seconds')`);
    await silence(14);
    await silence(16);
    await silence(61);
    const { count } = await join(60_000);
    expect(count()).toBe(2);
    const { rows } = await database().raw.executeSql("select count(*) as left from shiftpact.processes");
    expect(rows).toEqual([{ left: 3 }]);
  });
});

describe("the process on an embedded database", () => {
  const database = useEngine("pglite");

  it("is the only process, because no other may open it", async () => {
    const { count, leave } = await joinProcesses(database(), silent);
    expect(count()).toBe(1);
    await leave();
  });
});
