import { afterEach, describe, expect, it } from "vitest";
import { createAttendance, joinProcesses, type Processes } from "../../../src/platform/db/processes.ts";
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

describe("what a process knows of the others", () => {
  const attend = () => {
    let now = 0;
    const attendance = createAttendance(4_000, () => now);
    return {
      ...attendance,
      pass: (ms: number) => (now += ms),
      record: (count: number) => attendance.counted(count, now),
    };
  };

  it("divides limits for a minute more by those that have ended", () => {
    const { record, pass, count, sharing } = attend();
    record(4);
    pass(4_000);
    record(1);
    expect([count(), sharing()]).toEqual([1, 4]);
    pass(60_000);
    record(1);
    expect([count(), sharing()]).toEqual([1, 1]);
  });

  it("lets it use its part after an interval, and again after it could not record itself for fifteen seconds", () => {
    const { record, pass, since } = attend();
    expect(since()).toBe(Number.POSITIVE_INFINITY);
    record(2);
    expect(since()).toBe(5_000);
    pass(14_999);
    expect(since()).toBe(5_000);
    pass(1);
    expect(since()).toBe(Number.POSITIVE_INFINITY);
    record(2);
    expect(since()).toBe(20_000);
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
