import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { operationsTable } from "../../generated/provider/server.ts";
import type { Exchange } from "../../src/verify/exchange.ts";
import { isLinearIn, loadCounted } from "../harness/step-counter.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const contract = parse(readFileSync(fileOf("generated/spec/provider.openapi-3.1.yaml"), "utf8"));

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
  [branches: string]: unknown;
}
/** Builds a value that grows with `size`. */
type Grow = (size: number) => unknown;

const SCALARS = [null, true, 1, "", "189001169813", "2027-03-27T22:00:00+01:00", "c-1", { toString: "" }];
const scalar = fc.constantFrom(...SCALARS).map(
  (value): Grow =>
    () =>
      value,
);
const text = fc.constantFrom("a", " ", "\n", "2", "-", "a.", " at ", "SELECT ", "å").map(
  (unit): Grow =>
    (size) =>
      unit.repeat(size),
);
const members = scalar.map(
  (member): Grow =>
    (size) =>
      Object.fromEntries(Array.from({ length: size }, (_, index) => [`m${index}`, member(1)])),
);
const hostile = fc.oneof(scalar, text, members, listOf(fc.oneof(scalar, members)));

function listOf(item: fc.Arbitrary<Grow>): fc.Arbitrary<Grow> {
  return item.map((each) => (size) => Array.from({ length: size }, () => each(2)));
}

/** Returns values that have the form of a schema, with hostile values in any place. */
function valuesOf(schema: Schema, depth = 0): fc.Arbitrary<Grow> {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return valuesOf(contract.components.schemas[name] ?? {}, depth + 1);
  if (depth > 8) return hostile;
  const parts = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => (schema[keyword] ?? []) as Schema[]);
  const own = Object.entries(schema.properties ?? {}).filter(([, each]) => typeof each === "object");
  if (schema.items)
    return fc.oneof({ weight: 4, arbitrary: listOf(valuesOf(schema.items, depth + 1)) }, hostile);
  if (parts.length === 0 && own.length === 0) return hostile;
  const objects = parts.map((part) => valuesOf(part, depth + 1));
  const named = fc.record(Object.fromEntries(own.map(([key, each]) => [key, valuesOf(each, depth + 1)])), {
    requiredKeys: [],
  });
  return fc.tuple(named, ...objects).map(
    ([record, ...others]): Grow =>
      (size) =>
        Object.assign(
          {},
          ...others
            .map((other) => other(size))
            .filter((value) => typeof value === "object" && !Array.isArray(value)),
          Object.fromEntries(Object.entries(record).map(([key, each]) => [key, each?.(size)])),
        ),
  );
}

const RUNS = { numRuns: 3, seed: 1 };

describe.each(["provider", "platform", "operations", "events"])("the validators of %s", (document) => {
  it("judge and explain in steps that are linear in the size of the value", async () => {
    const { loaded, stepsOf } = await loadCounted(
      readFileSync(fileOf(`generated/${document}/validators.js`), "utf8"),
    );
    const validators = Object.entries(
      loaded.schemas as Record<string, { (value: unknown): boolean; errorsOf(value: unknown): unknown }>,
    );
    expect(validators.length).toBeGreaterThan(3);
    for (const [name, validator] of validators) {
      const values = document === "provider" ? valuesOf({ $ref: `#/${name}` }) : hostile;
      fc.assert(
        fc.property(values, (grow) =>
          isLinearIn((size) => {
            const value = grow(size);
            return stepsOf(() => validator(value) || validator.errorsOf(value));
          }),
        ),
        RUNS,
      );
    }
  });
});

describe("the judges of the kit", () => {
  it("take steps that are linear in the size of the body", async () => {
    const bundled = await build({
      entryPoints: [fileOf("src/verify/judge/judge.ts")],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
    });
    const { loaded, stepsOf } = await loadCounted(bundled.outputFiles[0]?.text ?? "");
    const judge = loaded.judge as (exchange: Exchange) => unknown;
    for (const { operationId, responses } of operationsTable) {
      const path = Object.values(
        contract.paths as Record<
          string,
          Record<
            string,
            {
              operationId?: string;
              responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
            }
          >
        >,
      );
      const described = path
        .flatMap((each) => Object.values(each))
        .find((each) => each.operationId === operationId);
      const schema = described?.responses[200]?.content?.["application/json"]?.schema ?? {};
      const status = fc.constantFrom(
        400,
        ...Object.keys(responses)
          .map(Number)
          .filter((each) => each < 300),
      );
      fc.assert(
        fc.property(fc.oneof(valuesOf(schema), text), status, (grow, code) =>
          isLinearIn((size) => {
            const exchange = exchangeOf(operationId, code, grow(size));
            return stepsOf(() => judge(exchange));
          }),
        ),
        RUNS,
      );
    }
  });
});

function exchangeOf(operation: Exchange["probe"]["operation"], status: number, body: unknown): Exchange {
  const isText = typeof body === "string";
  return {
    probe: { operation, path: {} },
    sent: { method: "GET", url: "http://provider.example/", headers: {}, body: undefined },
    answer: {
      kind: "answer",
      status,
      headers: { "content-type": isText ? "text/plain" : "application/json" },
      text: isText ? body : JSON.stringify(body),
      json: isText ? undefined : body,
    },
  };
}

describe("the count of steps", () => {
  it.each([
    ["a loop", "for (const each of list) sum += each;", true],
    ["unshift for each item", "const all = []; for (const each of list) all.unshift(each);", false],
    ["concat for each item", "let all = []; for (const each of list) all = all.concat([each]);", false],
    ["a copy for each item", "let all = []; for (const each of list) all = [...all, each];", false],
    [
      "a search for each item",
      "for (const each of list) list.findIndex((other) => other === each + 1);",
      false,
    ],
    ["a nested loop", "for (const each of list) for (const other of list) sum += other;", false],
  ])("finds what is not linear: %s", async (_, code, linear) => {
    const { loaded, stepsOf } = await loadCounted(`export const run = (list) => { let sum = 0; ${code} };`);
    const run = loaded.run as (list: number[]) => void;
    const isLinear = isLinearIn((size) => {
      const list = Array.from({ length: size }, (_each, index) => index);
      return stepsOf(() => run(list));
    });
    expect(isLinear).toBe(linear);
  });
});
