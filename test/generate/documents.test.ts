import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "@asyncapi/parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { bundle, type SpecDocument } from "../../scripts/emit/bundle.ts";
import { documentFiles, yamlFiles } from "../../scripts/emit/files.ts";
import { isRecord } from "../../scripts/emit/schema.ts";
import { type Accepts, accepts30, accepts31, acceptsBySource, corpus, readYaml } from "./verdicts.ts";
import { PROJECT } from "./workspace.ts";

const SPEC = join(PROJECT, "spec");
const WRITTEN = join(PROJECT, "generated/spec");
const files = yamlFiles(SPEC);
const documents = documentFiles(SPEC).map((file) => bundle(file, files));
const openapi = documents.filter(({ kind }) => kind === "openapi");
const written = (name: string) => readYaml(join(WRITTEN, name));
const NAMES = readdirSync(WRITTEN).filter((name) => name.endsWith(".yaml"));

/** The examples of spec/examples by the schema that index.yaml names: `provider.openapi.yaml#/components/schemas/Role`. */
const examples = Map.groupBy(
  Object.entries(readYaml(join(SPEC, "examples/index.yaml"))),
  ([, reference]) => reference as string,
);
function examplesOf(reference: string): unknown[] {
  const names = examples.get(reference) ?? [];
  return names.map(([name]) => JSON.parse(readFileSync(join(SPEC, "examples", name), "utf8")));
}

function* recordsBelow(value: unknown): Generator<Record<string, unknown>> {
  if (isRecord(value)) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const item of Object.values(value)) yield* recordsBelow(item);
}

const referencesIn = (document: object): string[] =>
  [...recordsBelow(document)].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));

describe("the files in generated/spec", () => {
  it.each(NAMES)("refer to nothing outside of themselves: %s", (name) => {
    const references = referencesIn(written(name));
    expect(references.length).toBeGreaterThan(5);
    expect(references.filter((each) => !each.startsWith("#/"))).toEqual([]);
  });

  it.each(NAMES.filter((name) => name.includes("openapi")))("are valid: %s", async (name) => {
    expect(await new Validator().validate(written(name))).toEqual({ valid: true });
    expect(written(name).openapi).toBe(name.includes("3.0") ? "3.0.3" : "3.1.0");
  });

  it("have a valid AsyncAPI document", async () => {
    const text = readFileSync(join(WRITTEN, "events.asyncapi-3.0.yaml"), "utf8");
    const { document, diagnostics } = await new Parser().parse(text);
    expect(document?.messages().map((message) => message.name())).toEqual([
      "shift.create",
      "shift.update",
      "shift.delete",
    ]);
    expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([]);
  });

  it.each(openapi.map(({ name }) => name))(
    "keep the name of every operation, schema and example: %s",
    (name) => {
      const { schemas, published } = documents.find((each) => each.name === name) as SpecDocument;
      const parts = isRecord(published.components) ? published.components : {};
      const operationIds = (document: object) =>
        [...recordsBelow(document)].flatMap(({ operationId }) =>
          operationId === undefined ? [] : [operationId],
        );
      for (const version of ["3.1", "3.0"]) {
        const document = written(`${name}.openapi-${version}.yaml`);
        const components = document.components as Record<string, object>;
        expect(Object.keys(components.schemas ?? {})).toEqual(Object.keys(schemas));
        expect(Object.keys(components.examples ?? {})).toEqual(Object.keys(parts.examples ?? {}));
        expect(operationIds(document)).toEqual(operationIds(published));
      }
    },
  );

  it("are read alike by YAML 1.1, where a time or a word would be something else", () => {
    for (const name of NAMES) {
      const text = readFileSync(join(WRITTEN, name), "utf8");
      expect(text).not.toMatch(/^\s*(?:- )?(?:[\w-]+: )?\d{4}-\d\d-\d\d(?:T\S+)?$/m);
      expect(text).not.toMatch(/: (?:yes|no|on|off|y|n)$/im);
    }
  });

  it("hold no keyword in 3.0 that it does not have", () => {
    const keywords =
      "const,examples,if,then,else,patternProperties,propertyNames,prefixItems,contains,dependentRequired,dependentSchemas,unevaluatedProperties,unevaluatedItems,$defs,$comment";
    for (const { name } of openapi) {
      const { components } = written(`${name}.openapi-3.0.yaml`);
      const { schemas } = components as { schemas: object };
      const used = new Set([...recordsBelow(schemas)].flatMap((each) => Object.keys(each)));
      expect(keywords.split(",").filter((keyword) => used.has(keyword))).toEqual([]);
      expect([...recordsBelow(schemas)].filter(({ type }) => Array.isArray(type))).toEqual([]);
    }
  });
});

/** Schemas that no value tells from a source, but that a generator would read wrongly. */
describe("what generators stumble over", () => {
  const schemasOf = (name: string) =>
    (written(name).components as { schemas: Record<string, object> }).schemas;

  it.each(openapi.flatMap(({ name }) => [`${name}.openapi-3.1.yaml`, `${name}.openapi-3.0.yaml`]))(
    "is not in %s",
    (name) => {
      for (const schema of recordsBelow(schemasOf(name))) {
        expect(Object.values(isRecord(schema.properties) ? schema.properties : {})).not.toContain(false);
        const isChoice = ["allOf", "anyOf", "oneOf"].some((keyword) => Array.isArray(schema[keyword]));
        if (isChoice) expect(schema).not.toHaveProperty("properties");
      }
    },
  );

  it("is not in the two variants of a shift, nor in the acknowledgements of an assignment", () => {
    for (const version of ["3.1", "3.0"]) {
      const schemas = schemasOf(`provider.openapi-${version}.yaml`);
      expect(schemas.Shift).toMatchObject({
        oneOf: ["ShiftVariantA", "ShiftVariantB"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      });
      expect(schemas.Assignment).toMatchObject({
        oneOf: ["MinimalAssignment", "DetailedAssignment"].map((name) => ({
          $ref: `#/components/schemas/${name}`,
        })),
      });
      const shared = { id: {}, startTime: {}, assignedCandidates: {} };
      expect(schemas.ShiftVariantA).toMatchObject({ type: "object", properties: { ...shared, slots: {} } });
      expect(schemas.ShiftVariantB).toMatchObject({
        type: "object",
        properties: { ...shared, numberOfPositions: {}, breakMinutes: {} },
      });
    }
  });
});

describe("the verdict of source, 3.1 and 3.0", () => {
  const bySource = acceptsBySource(SPEC);

  it.each(openapi.map(({ name }) => name))("is the same on thousands of values: %s", (name) => {
    const { schemas, origins } = documents.find((each) => each.name === name) as SpecDocument;
    const by31 = accepts31(written(`${name}.openapi-3.1.yaml`));
    const by30 = accepts30(written(`${name}.openapi-3.0.yaml`));
    const counts = { accepted: 0, refused: 0 };
    for (const [schema, origin] of origins) {
      const source = `${origin.document.replace(/^spec\//, "")}#${origin.pointer}`;
      const inBundle = `document#/components/schemas/${schema}`;
      for (const value of corpus(schema, schemas, examplesOf(source))) {
        const ask = (accepts: Accepts, reference: string) => accepts(reference, value);
        const expected = ask(bySource, source);
        counts[expected ? "accepted" : "refused"]++;
        const verdicts = { schema, value, by31: ask(by31, inBundle), by30: ask(by30, inBundle) };
        if (verdicts.by31 !== expected || verdicts.by30 !== expected) {
          expect(verdicts).toEqual({ schema, value, by31: expected, by30: expected });
        }
      }
    }
    expect(counts.accepted).toBeGreaterThan(100);
    expect(counts.refused).toBeGreaterThan(200);
  });

  it("accepts every example of spec/examples, in each version", () => {
    for (const { name, origins } of openapi) {
      const by31 = accepts31(written(`${name}.openapi-3.1.yaml`));
      const by30 = accepts30(written(`${name}.openapi-3.0.yaml`));
      for (const [schema, origin] of origins) {
        for (const value of examplesOf(`${origin.document.replace(/^spec\//, "")}#${origin.pointer}`)) {
          const reference = `document#/components/schemas/${schema}`;
          expect([schema, by31(reference, value), by30(reference, value)]).toEqual([schema, true, true]);
        }
      }
    }
  });
});
