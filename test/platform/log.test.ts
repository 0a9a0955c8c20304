import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import { createIdGenerator, firstIdAt, newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import numbers from "../testdata/personal-numbers.json" with { type: "json" };

/** A log that keeps its lines. */
function listen(level = "trace") {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

const NUMBER = "189001169813";
const TOKEN = `spp_${"x".repeat(43)}`;
const OPERATOR_TOKEN = `spo_${"x".repeat(43)}`;

/** What may come into a line somehow, and what must not be left of it. */
const SECRETS: [text: string, gone: string][] = [
  [NUMBER, NUMBER],
  ["18900116-9813", "9813"],
  ["18900116+9813", "9813"],
  ["900116-9813", "9813"],
  ["900116+9813", "9813"],
  ["9001169813", "9001169813"],
  ["/shifts/s/assign/9001169813", "9001169813"],
  [`pnr${NUMBER}`, NUMBER],
  [`pnr_${NUMBER}_x`, NUMBER],
  [`?personalNumber=${NUMBER}&name=x`, NUMBER],
  ["?personalNumber=18900116%2D9813", "9813"],
  [TOKEN, TOKEN],
  [OPERATOR_TOKEN, OPERATOR_TOKEN],
  [`Bearer ${TOKEN}`, TOKEN],
  ["Bearer provider-token", "provider-token"],
  ["authorization: bearer abc.def/ghi+jkl==", "ghi"],
  ["ada.strand+work@mail.example.com", "strand"],
  ["mailto:ada@example.com", "ada@"],
  ["+46701740605", "740605"],
  ["tel:+46 70 174 06 05", "174"],
  ["0701740605", "740605"],
  ["070-174 06 05", "174"],
];

describe("the log", () => {
  it.each(SECRETS)("removes %j wherever it occurs", (text, gone) => {
    const { log, lines } = listen();
    log.info(text);
    log.info({ text }, "in a field");
    log.info({ deep: [{ deeper: { text: `x ${text} y` } }] }, "deep inside");
    log.error({ err: new Error(`could not: ${text}`) }, "in an error");
    log.error({ err: new Error("outer", { cause: new Error(text) }) }, "in a cause");
    log.error({ err: text }, "thrown as a string");
    log.child({ text }).warn("in a child's bindings");
    expect(lines).toHaveLength(7);
    for (const line of lines) {
      // The time is ours, and its milliseconds may be any three digits.
      const { time, ...rest } = JSON.parse(line);
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(JSON.stringify(rest)).not.toContain(gone);
    }
  });

  it("masks every published number, in any form", () => {
    const { log, lines } = listen();
    for (const number of [...numbers.personnummer, ...numbers.coordinationNumbers]) {
      log.info({ number, hyphenated: `${number.slice(0, 8)}-${number.slice(8)}`, ten: number.slice(2) });
    }
    for (const line of lines) expect(line).not.toMatch(/\d{6}-?\d{4}/);
  });

  it("keeps ids and times", () => {
    const { log, lines } = listen();
    const ids = [
      "3f1f6f5c-0f4e-4a3a-8d0f-200012314321",
      "19991231-1234-4321-8888-189001169813",
      "01a1fbca-cc66-7784-b5f1-ad8dad7b8d54",
    ];
    const time = "2026-11-21T01:44:32.848Z";
    log.info({ ids, time2: time, count: 1_234_567, ms: 1_763_689_472_848 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ ids, time2: time, count: 1_234_567 });
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        log.info({ id });
        expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ id });
      }),
    );
  });

  it("omits the values of a row from a database's error", () => {
    const { log, lines } = listen();
    const error = Object.assign(new Error("duplicate key"), {
      code: "23505",
      detail: "Key (phone)=(hidden-1) exists",
      where: "hidden-2",
      parameters: ["hidden-3"],
    });
    log.error({ err: error }, "could not store");
    expect(lines[0]).toContain("23505");
    expect(lines[0]).not.toContain("hidden");
  });

  it("escapes what controls a terminal or reorders its text, and keeps its value", () => {
    const { log, lines } = listen();
    const text = "\u001b]0;a\u0007 \u007f \u009b31m \u202eb\u2066 \u2028";
    log.warn({ text }, text);
    expect(JSON.parse(lines.join(""))).toMatchObject({ text, msg: text });
    expect(lines.join("")).toMatch(/^[\x20-\x7e]+\n$/);
  });

  it("writes lines that a machine can read, of its level and above", () => {
    const { log, lines } = listen("warn");
    log.info("not this");
    log.warn({ providerId: randomUUID() }, "this");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "warn",
      instance: expect.stringMatching(/^.+:\d+$/),
      msg: "this",
      time: expect.stringMatching(/Z$/),
    });
  });
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("ids", () => {
  it("are UUIDv7 that start with their time", () => {
    const id = createIdGenerator({ now: () => 0x0123456789ab })();
    expect(id).toMatch(UUID_V7);
    expect(id.startsWith("01234567-89ab-7")).toBe(true);
    expect(newId()).toMatch(UUID_V7);
  });

  it("increase within a millisecond, past the end of its counter, and when the clock is set back", () => {
    let now = 1_000_000;
    const next = createIdGenerator({ now: () => now });
    const ids = Array.from({ length: 10_000 }, next);
    now -= 5_000;
    ids.push(next(), next());
    now += MINUTE_MS;
    ids.push(next());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("of a millisecond are between its first id and that of the next", () => {
    const [at, next] = [firstIdAt(new Date(1_000_000)), firstIdAt(new Date(1_000_001))];
    expect(at).toMatch(UUID_V7);
    for (const random of ["00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff"]) {
      const id = createIdGenerator({ now: () => 1_000_000, random: () => random })();
      expect([at, id, next]).toEqual([at, id, next].sort());
    }
  });

  it("increase whatever the random source returns", () => {
    const next = createIdGenerator({ now: () => 1, random: () => "ffffffff-ffff-4fff-bfff-ffffffffffff" });
    const ids = Array.from({ length: 100 }, next);
    expect(ids).toEqual([...ids].sort());
    expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
  });
});
