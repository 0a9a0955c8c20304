import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "@asyncapi/parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { bundle } from "../../scripts/emit/bundle.ts";
import { emit } from "../../scripts/emit/emit.ts";
import { documentFiles, yamlFiles } from "../../scripts/emit/files.ts";
import { FORMATS, OWN_FORMATS } from "../../scripts/emit/formats.ts";
import { isRecord } from "../../scripts/emit/schema.ts";
import { accepts30, accepts31, acceptsBySource, corpus, readYaml } from "./verdicts.ts";
import { folderWith, PROJECT, openapi as small } from "./workspace.ts";

const SPEC = join(PROJECT, "spec");
const WRITTEN = join(PROJECT, "generated/spec");
const files = yamlFiles(SPEC);
const documents = documentFiles(SPEC).map((file) => bundle(file, files));
const openapi = documents.filter(({ kind }) => kind === "openapi");
/** The views of a document: one, or two, where the plain name is for senders and the other for receivers. */
const views = openapi.flatMap((document) => {
  const { name, complete } = document;
  if (complete.size === 0) return [{ name, document, isSent: false }];
  return [
    { name, document, isSent: true },
    { name: `${name}-tolerant`, document, isSent: false },
  ];
});
const written = (name: string) => readYaml(join(WRITTEN, name));
const NAMES = readdirSync(WRITTEN).filter((name) => name.endsWith(".yaml"));

interface Answer {
  $ref?: string;
  content?: Record<string, object>;
}

interface Described {
  paths: Record<string, Record<string, { responses?: Record<string, Answer> }>>;
  components: { responses?: Record<string, Answer> };
}

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

  it("hold only formats that every tool knows", () => {
    const formats = NAMES.flatMap((name) => [...recordsBelow(written(name))].map(({ format }) => format));
    expect(formats.filter((each) => typeof each === "string" && each in FORMATS)).not.toEqual([]);
    expect(formats.filter((each) => OWN_FORMATS.includes(String(each)))).toEqual([]);
  });

  it.each(["events", "events-tolerant"])("have a valid AsyncAPI document: %s", async (name) => {
    const text = readFileSync(join(WRITTEN, `${name}.asyncapi-3.0.yaml`), "utf8");
    const { document, diagnostics } = await new Parser().parse(text);
    expect(document?.messages().map((message) => message.name())).toEqual([
      "shift.create",
      "shift.update",
      "shift.delete",
      "received",
    ]);
    expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([]);
  });

  it.each(views)("keep the name of every operation and example, and of their schemas: $name", (view) => {
    const { schemas, published } = view.document;
    const parts = isRecord(published.components) ? published.components : {};
    const namesIn = (document: object) =>
      [...recordsBelow(document)].flatMap(({ operationId }) =>
        operationId === undefined ? [] : [operationId],
      );
    const operations = namesIn(published);
    const isRouted = (published.servers as unknown[] | undefined)?.length === 2;
    for (const version of ["3.1", "3.0"]) {
      const document = written(`${view.name}.openapi-${version}.yaml`);
      const components = document.components as Record<string, object>;
      const names = Object.keys(components.schemas ?? {});
      expect(names.filter((name) => !(name in schemas))).toEqual([]);
      expect(names.filter((name) => name.startsWith("Complete"))).toEqual([]);
      expect(Object.keys(components.examples ?? {})).toEqual(Object.keys(parts.examples ?? {}));
      const byHeader = operations.map((name) => `${name}ByHeader`);
      expect(namesIn(document)).toEqual(isRouted ? [...operations, ...byHeader] : operations);
    }
  });

  it("have the paths of both routings, at one server", () => {
    const { paths, servers } = written("provider.openapi-3.1.yaml") as { paths: object; servers: object[] };
    const all = Object.keys(paths);
    const plain = all.filter((path) => !path.startsWith("/providers/"));
    expect(all).toEqual([...plain.map((path) => `/providers/{providerId}${path}`), ...plain]);
    expect(plain).toContain("/shifts/{shiftId}/assign/{candidateId}");
    expect(servers).toMatchObject([{ url: "https://{host}" }]);
  });

  it("have the same content in YAML 1.1, which reads some times and words differently", () => {
    for (const name of NAMES) {
      const text = readFileSync(join(WRITTEN, name), "utf8");
      expect(text).not.toMatch(/^\s*(?:- )?(?:[\w-]+: )?\d{4}-\d\d-\d\d(?:T\S+)?$/m);
      expect(text).not.toMatch(/: (?:yes|no|on|off|y|n)$/im);
    }
  });

  it("hold no keyword in 3.0 that 3.0 lacks", () => {
    const keywords =
      "const,examples,if,then,else,patternProperties,propertyNames,prefixItems,contains,dependentRequired,dependentSchemas,unevaluatedProperties,unevaluatedItems,$defs,$comment";
    for (const { name } of views) {
      const { components } = written(`${name}.openapi-3.0.yaml`);
      const { schemas } = components as { schemas: object };
      const used = new Set([...recordsBelow(schemas)].flatMap((each) => Object.keys(each)));
      expect(keywords.split(",").filter((keyword) => used.has(keyword))).toEqual([]);
      expect([...recordsBelow(schemas)].filter(({ type }) => Array.isArray(type))).toEqual([]);
    }
  });
});

/** Schemas that accept the values of their source, but that a generator would read wrongly. */
describe("a form that generators misread", () => {
  const schemasOf = (name: string) =>
    (written(name).components as { schemas: Record<string, object> }).schemas;

  it.each(views.flatMap(({ name }) => [`${name}.openapi-3.1.yaml`, `${name}.openapi-3.0.yaml`]))(
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

describe("a schema that is called like a complete form of another one", () => {
  it("is no complete form without the link", async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const content = { "application/json": { schema: ref("Shift") } };
    const operation = { responses: { 200: { description: "", content } } };
    const schemas = { Shift: { type: "string" }, CompleteShift: { type: "number" } };
    const plain = await emit(folderWith({ "a.openapi.yaml": small({ operation, schemas }) }));
    expect([...plain.keys()].filter((name) => name.includes("tolerant"))).toEqual([]);
    expect(plain.get("a/server.ts")).not.toContain("CompleteShift");
    const linked = { ...schemas, CompleteShift: { ...schemas.CompleteShift, "x-completes": "Shift" } };
    const output = await emit(folderWith({ "a.openapi.yaml": small({ operation, schemas: linked }) }));
    expect(output.get("a/server.ts")).toContain("200: CompleteShift");
    expect(output.get("spec/a.openapi-3.1.yaml")).toMatch(/Shift:\n {6}type: number\n$/);
  });
});

describe("the verdict of source, 3.1 and 3.0", () => {
  const bySource = acceptsBySource(SPEC);

  it.each(views)("is the same on thousands of values: $name", ({ name, document, isSent }) => {
    const { schemas, origins } = document;
    const by31 = accepts31(written(`${name}.openapi-3.1.yaml`));
    const by30 = accepts30(written(`${name}.openapi-3.0.yaml`));
    const { components } = written(`${name}.openapi-3.1.yaml`) as { components: { schemas: object } };
    const counts = { accepted: 0, refused: 0 };
    for (const schema of Object.keys(components.schemas)) {
      const complete = isSent ? document.complete.get(schema) : undefined;
      const origin = origins.get(complete ?? schema) ?? { document: "", pointer: "" };
      const source = `${origin.document.replace(/^spec\//, "")}#${origin.pointer}`;
      const inBundle = `document#/components/schemas/${schema}`;
      for (const value of corpus(complete ?? schema, schemas, examplesOf(source))) {
        const expected = bySource(source, value);
        counts[expected ? "accepted" : "refused"]++;
        const verdicts = { schema, value, by31: by31(inBundle, value), by30: by30(inBundle, value) };
        // A reference to a schema with a complete form accepts less than the source, which is for receivers.
        const isLess = isSent && complete === undefined && expected && !verdicts.by31;
        if (isLess ? verdicts.by30 : verdicts.by31 !== expected || verdicts.by30 !== expected) {
          expect(verdicts).toEqual({ schema, value, by31: expected, by30: expected });
        }
      }
    }
    expect(counts.accepted).toBeGreaterThan(100);
    expect(counts.refused).toBeGreaterThan(200);
  });

  it("accepts every example of spec/examples, in each version", () => {
    for (const { name, document } of views.filter(({ isSent }) => !isSent)) {
      const by31 = accepts31(written(`${name}.openapi-3.1.yaml`));
      const by30 = accepts30(written(`${name}.openapi-3.0.yaml`));
      const { components } = written(`${name}.openapi-3.1.yaml`) as { components: { schemas: object } };
      for (const schema of Object.keys(components.schemas)) {
        const origin = document.origins.get(schema) ?? { document: "", pointer: "" };
        for (const value of examplesOf(`${origin.document.replace(/^spec\//, "")}#${origin.pointer}`)) {
          const reference = `document#/components/schemas/${schema}`;
          expect([schema, by31(reference, value), by30(reference, value)]).toEqual([schema, true, true]);
        }
      }
    }
  });

  it.each(NAMES.filter((name) => name.includes("openapi")))(
    "shows an example of every response: %s",
    (name) => {
      const { paths, components } = written(name) as unknown as Described;
      const operations = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(
          ([method, operation]) => [`${method} ${path}`, operation.responses ?? {}] as const,
        ),
      );
      const without = operations.flatMap(([operation, responses]) =>
        Object.entries(responses).flatMap(([status, { $ref, ...own }]) => {
          const { content = {} } =
            $ref === undefined ? own : (components.responses?.[$ref.split("/").at(-1) ?? ""] ?? {});
          const bodies = Object.entries(content).filter(([type]) => type.includes("json"));
          return bodies.every(([, body]) => "example" in body || "examples" in body)
            ? []
            : [`${operation}: ${status}`];
        }),
      );
      expect(operations.length).toBeGreaterThan(2);
      expect(without).toEqual([]);
    },
  );

  it("is stricter for senders than for receivers of a shift", () => {
    const [sent, read] = ["provider", "provider-tolerant"].map((name) =>
      accepts31(written(`${name}.openapi-3.1.yaml`)),
    );
    const { outletName: _left, ...shift } = JSON.parse(
      readFileSync(join(SPEC, "examples/shift-variant-a.json"), "utf8"),
    );
    expect(read?.("document#/components/schemas/Shift", shift)).toBe(true);
    expect(sent?.("document#/components/schemas/Shift", shift)).toBe(false);
  });
});
