import { describe, expect, it } from "vitest";
import { type Dialect, dialectName, everyDialect } from "../../src/contract/dialect.ts";
import type { FaultSettings } from "../../src/sandbox/faults/fault.ts";
import { type FaultName, faultNames } from "../../src/sandbox/faults/switchboard.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import type { Group } from "../../src/verify/options.ts";
import { coveringDialects, dialectsFor, groupsOf, type Row } from "../harness/fault-row.ts";
import { faultRows, notErrors, rightWithBothForms } from "../harness/fault-rows.ts";
import { codesOf, verifySandbox } from "./verify-sandbox.ts";

/** `DIALECTS=all npx vitest run test/verify/faults`: every fault on every operation in every dialect, in half an hour. */
const isWhole = process.env.DIALECTS === "all";
/** Number of operations and dialects for each row. They alternate between rows. */
const OPERATIONS_A_ROW = 1;
const DIALECTS_A_ROW = 1;

interface Planted {
  row: Row;
  operation: OperationId | undefined;
  dialect: Dialect;
  title: string;
}

const planted: Planted[] = faultRows.flatMap((row, turn) =>
  operationsOf(row, turn).flatMap((operation, place) =>
    dialectsOf(operation, turn + place).map((dialect) => {
      return { row, operation, dialect, title: titleOf(row, operation, dialect) };
    }),
  ),
);

/** Returns the operations to plant the fault on; undefined: on all of its operations together. */
function operationsOf({ each }: Row, turn: number): (OperationId | undefined)[] {
  if (!each) return [undefined];
  return fromTurn(each, turn).slice(0, isWhole ? each.length : OPERATIONS_A_ROW);
}

function dialectsOf(operation: OperationId | undefined, turn: number): Dialect[] {
  const fitting = dialectsFor(operation);
  if (isWhole) return fitting;
  const names = new Set(fitting.map(dialectName));
  const covering = coveringDialects.filter((each) => names.has(dialectName(each)));
  return fromTurn(covering, turn).slice(0, operation === undefined ? DIALECTS_A_ROW : 1);
}

function fromTurn<T>(all: readonly T[], turn: number): T[] {
  const start = turn % all.length;
  return [...all.slice(start), ...all.slice(0, start)];
}

function titleOf({ fault, code, at }: Row, operation: OperationId | undefined, dialect: Dialect): string {
  return `${fault} gives ${code} at ${operation ?? at.join(" or ")} (${dialectName(dialect)})`;
}

/** Longer than any response here. */
const SHORT_MS = 400;

async function verified(
  fault: FaultName,
  dialect: Partial<Forms>,
  only: readonly Group[] | undefined,
  settings: FaultSettings = {},
): Promise<Verification> {
  // The replay of the contracts takes as long as everything else: one row is enough.
  const groups = only ? { only } : { skip: ["contracts"] as const };
  const options = { ...groups, ...(fault === "slow" && { timeoutMs: SHORT_MS }) };
  const prepare = ({ setFault }: Sandbox) => setFault(fault, settings);
  return (await verifySandbox({ dialect, options, prepare })).verification;
}

const dialectFor = (fault: FaultName): Dialect =>
  coveringDialects[faultNames.indexOf(fault) % coveringDialects.length] ?? ({} as never);

describe("a planted fault", () => {
  it.each(planted)("$title", async ({ row, operation, dialect }) => {
    const settings = operation === undefined ? {} : { operations: [operation] };
    const verification = await verified(row.fault, dialect, groupsOf(row, operation), settings);
    const wanted = operation === undefined ? row.at : [operation];
    const places = verification.findings
      .filter(({ code }) => code === row.code)
      .flatMap(({ operation, places }) => [operation, ...(places ?? [])]);
    const all = verification.findings.map(({ code, operation }) => `${code} ${operation}`);
    expect(
      places.some((place) => wanted.includes(place)),
      all.join(", "),
    ).toBe(true);
  });
});

describe("the kit reports no error", () => {
  it.each(notErrors)("for %s", async (fault) => {
    expect(codesOf(await verified(fault, dialectFor(fault), undefined), "error")).toEqual([]);
  });

  it.each(rightWithBothForms)("for %s if the other form is offered", async (fault) => {
    const forms = { ...dialectFor(fault), unassign: "both" } as const;
    expect(codesOf(await verified(fault, forms, undefined), "error")).toEqual([]);
  });
});

describe("the table", () => {
  it("has every fault of the sandbox", () => {
    const there = new Set<string>([
      ...faultRows.map(({ fault }) => fault),
      ...notErrors,
      ...rightWithBothForms,
    ]);
    expect(faultNames.filter((name) => !there.has(name))).toEqual([]);
  });

  it("has every pair of forms in one of its dialects, and each dialect in many rows", () => {
    const pairs = (dialect: Dialect) => {
      const forms = Object.entries(dialect).map((form) => form.join("="));
      return forms.flatMap((one, index) => forms.slice(index + 1).map((other) => `${one} ${other}`));
    };
    expect(new Set(coveringDialects.flatMap(pairs))).toEqual(new Set(everyDialect().flatMap(pairs)));
    const used = Map.groupBy(planted, ({ dialect }) => dialectName(dialect));
    for (const dialect of coveringDialects) {
      expect(used.get(dialectName(dialect))?.length).toBeGreaterThan(3);
    }
  });
});
