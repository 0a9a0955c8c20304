import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { compare } from "../../src/cli/compare.ts";
import { codes } from "../../src/verify/codes/codes.ts";
import { compareCodes } from "../../src/verify/codes/run.ts";
import type { Finding } from "../../src/verify/finding.ts";
import { type DocumentForms, type ProviderDocument, providerDocument } from "../harness/provider-document.ts";
import { terminal } from "../harness/terminal.ts";

const OURS = fileURLToPath(new URL("../../spec/provider.openapi.yaml", import.meta.url));
const PREFIX = "/providers/{organisation}";
const folder = mkdtempSync(join(tmpdir(), "compare-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

function write(text: string, name = `${++count}.yaml`): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Returns the findings of `compare --json` and its exit code. */
async function run(document: unknown): Promise<{ exit: number; findings: Finding[]; summary: unknown }> {
  const { io, out, err } = terminal();
  const exit = await compare([write(stringify(document)), "--json"], io);
  expect(err).toEqual([]);
  const lines = out.map((line) => JSON.parse(line));
  return { exit, findings: lines.slice(0, -1), summary: lines.at(-1).summary };
}

describe("shiftpact compare", () => {
  it("accepts the contract's own document", async () => {
    const { io, out, err } = terminal();
    expect(await compare([OURS], io)).toBe(0);
    expect(out).toEqual([expect.stringMatching(/^conforms: 0 errors, 0 warnings, 0 skipped, \d\d checks$/)]);
    expect(err).toEqual([]);
  });

  it.each<Partial<DocumentForms>>([
    {},
    { variant: "b" },
    { routing: "header" },
    { routing: "header", variant: "b", unassign: "delete", acknowledgement: "none" },
    { unassign: "delete" },
    { acknowledgement: "none", registry: true },
    { base: "/api/v1" },
    { routing: "header", base: "/api/v1/" },
  ])("accepts a document of the forms %j", async (forms) => {
    const { exit, findings, summary } = await run(providerDocument(forms));
    expect(findings).toEqual([]);
    expect(exit).toBe(0);
    expect(summary).toMatchObject({ verdict: "conforms", checks: expect.any(Number) });
  });

  it("accepts JSON, the organisation in the server's URL, and parts in other files", async () => {
    const { components, paths, ...document } = providerDocument();
    const bare = Object.entries(paths).map(([path, item]) => [path.replace(PREFIX, ""), item]);
    const { Shift, ...schemas } = components.schemas;
    write(stringify({ Shift, Times: { Start: Shift?.properties } }), "shift parts.yaml");
    const text = JSON.stringify({
      ...document,
      paths: Object.fromEntries(bare),
      servers: [{ url: "https://{host}/providers/{organisation}" }],
      components: { ...components, schemas: { ...schemas, Shift: { $ref: "shift%20parts.yaml#/Shift" } } },
    });
    const { io, out } = terminal();
    expect(await compare([write(text, "whole.json")], io)).toBe(0);
    expect(out).toEqual([expect.stringMatching(/^conforms: 0 errors, 0 warnings/)]);
  });

  it("accepts a path item in a separate file, and files that refer to each other", async () => {
    const document = providerDocument({ routing: "header" });
    const outlets = document.paths["/outlets"];
    const tree = {
      type: "object",
      properties: {
        id: { type: "string" },
        name: { type: "string" },
        address: { type: "string" },
        parts: { type: "array", items: { $ref: "#/Tree" } },
      },
    };
    write(stringify({ Tree: tree }), "tree.yaml");
    const list = { type: "array", items: { $ref: "tree.yaml#/Tree" } };
    const get = {
      responses: { 200: { description: "", content: { "application/json": { schema: list } } } },
    };
    write(stringify({ ...outlets, get }), "outlets.yaml");
    document.paths["/outlets"] = { $ref: "outlets.yaml" } as never;
    expect((await run(document)).findings).toEqual([]);
  });

  it("accepts branches of a oneOf that share the checked part of a response", async () => {
    const document = providerDocument();
    const { schemas } = document.components;
    const { Shift } = schemas;
    const longer = { ...Shift, properties: { ...reach(Shift, "properties"), note: { type: "string" } } };
    schemas.Shift = { oneOf: [Shift, longer] };
    expect((await run(document)).findings).toEqual([]);
  });

  it.each<[string, (document: ProviderDocument) => void]>([
    [
      "one schema for requests and responses, whose id is readOnly",
      ({ components: { schemas } }) => {
        const { Candidate } = schemas;
        reach(Candidate, "properties").id = { type: "string", readOnly: true };
        schemas.Candidate = { ...Candidate, required: ["id", "firstName"] };
        schemas.NewCandidate = { $ref: "#/components/schemas/Candidate" };
      },
    ],
    [
      "a readOnly id in a part of allOf, required by the whole",
      ({ components: { schemas } }) => {
        schemas.Base = { type: "object", properties: { id: { type: "string", readOnly: true } } };
        const { NewCandidate } = schemas;
        schemas.NewCandidate = {
          allOf: [{ $ref: "#/components/schemas/Base" }, { ...NewCandidate, required: ["id"] }],
        };
      },
    ],
    [
      "the number of positions of variant B under the name of variant A",
      ({ components }) => {
        const properties = reach(components, "schemas", "Shift", "properties");
        delete properties.numberOfPositions;
        properties.slots = { type: "integer" };
      },
    ],
  ])("accepts %s", async (_, change) => {
    const document = providerDocument({ variant: "b" });
    change(document);
    expect((await run(document)).findings).toEqual([]);
  });

  it("accepts Swagger 2", async () => {
    const { findings } = await run(swagger(providerDocument()));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

/** Returns the same document in the older form, as far as the test needs it. */
function swagger({ paths, components, info }: ProviderDocument) {
  const older = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(older);
    if (typeof value !== "object" || value === null) return value;
    const { content, requestBody, ...rest } = value as Record<string, unknown>;
    const entries = Object.entries(rest).map(([name, each]) => [
      name,
      name === "$ref" ? String(each).replace("components/schemas", "definitions") : older(each),
    ]);
    const schemaIn = (body: unknown) => older(reach(body, "application/json").schema);
    return {
      ...Object.fromEntries(entries),
      ...(content !== undefined && { schema: schemaIn(content) }),
      ...(requestBody !== undefined && {
        parameters: [{ name: "body", in: "body", schema: schemaIn(reach(requestBody, "content")) }],
      }),
    };
  };
  return {
    swagger: "2.0",
    info,
    basePath: "/api",
    consumes: ["application/json"],
    produces: ["application/json"],
    paths: older(paths),
    definitions: older(components.schemas),
  };
}

/** Returns the value at these names. */
function reach(value: unknown, ...names: (string | number)[]): Record<string, unknown> {
  const at = names.reduce((each: unknown, name) => (each as Record<string, unknown>)[name], value);
  return at as Record<string, unknown>;
}

describe("a document that does not fit is reported", () => {
  const at = (path: string) => `${PREFIX}${path}`;
  const fieldsOf = ({ components }: ProviderDocument, name: string) =>
    reach(components, "schemas", name, "properties");
  const spoil: [string, (document: ProviderDocument) => unknown, string, string][] = [
    [
      "without the outlets",
      ({ paths }) => delete paths[at("/outlets")],
      "compare_operation_missing",
      "listOutlets",
    ],
    [
      "without any unassign",
      ({ paths }) => delete paths[at("/shifts/{id}/unassign/{person}")],
      "compare_operation_missing",
      "unassignCandidate",
    ],
    [
      "without the outlet of a shift",
      ({ components }) => delete reach(components, "schemas", "Shift", "properties").outletId,
      "compare_answer_differs",
      "getShift",
    ],
    [
      "without the number of positions",
      (document) => delete fieldsOf(document, "Shift").slots,
      "compare_positions_omitted",
      "getShift",
    ],
    [
      "with a text as number of positions",
      (document) => {
        fieldsOf(document, "Shift").slots = { type: "string" };
      },
      "compare_answer_differs",
      "getShift",
    ],
    [
      "with a text as number of positions of one variant of two",
      ({ components: { schemas } }) => {
        const { Shift } = providerDocument({ variant: "b" }).components.schemas;
        reach(Shift, "properties").numberOfPositions = { type: "string" };
        schemas.Shift = { oneOf: [schemas.Shift, Shift] };
      },
      "compare_answer_differs",
      "getShift",
    ],
    [
      "with a number as phone",
      (document) => {
        fieldsOf(document, "Candidate").phone = { type: "integer" };
      },
      "compare_answer_differs",
      "findCandidates",
    ],
    [
      "without the name of the outlet",
      (document) => delete fieldsOf(document, "Shift").outletName,
      "compare_field_omitted",
      "getShift",
    ],
    [
      "without the address of an outlet",
      (document) => delete fieldsOf(document, "Outlet").address,
      "compare_field_omitted",
      "listOutlets",
    ],
    [
      "with a number as id",
      ({ components }) => {
        reach(components, "schemas", "Candidate", "properties").id = { type: "integer" };
      },
      "compare_answer_differs",
      "createCandidate",
    ],
    [
      "that demands more than is sent",
      ({ components }) => {
        reach(components, "schemas", "NewCandidate").required = ["taxTable"];
      },
      "compare_request_refused",
      "createCandidate",
    ],
    [
      "that demands a header",
      ({ paths }) => {
        reach(paths, at("/roles")).parameters = [{ name: "X-Api", in: "header", required: true, schema: {} }];
      },
      "compare_request_refused",
      "listRoles",
    ],
    [
      "that cancels with 200",
      ({ paths }) => {
        reach(paths, at("/shifts/{id}"), "delete").responses = { 200: { description: "" }, 404: {} };
      },
      "compare_status_missing",
      "cancelShift",
    ],
    [
      "without a 409 for a full shift",
      ({ paths }) => delete reach(paths, at("/shifts/{id}/assign/{person}"), "put", "responses")[409],
      "compare_status_undocumented",
      "assignCandidate",
    ],
    [
      "with an API key",
      ({ components }) => {
        components.securitySchemes.token = { type: "apiKey", in: "header", name: "X-Key" };
      },
      "compare_security_differs",
      "getShift",
    ],
    [
      "with another body type",
      ({ paths }) => {
        reach(paths, at("/candidates"), "post").requestBody = { content: { "application/xml": {} } };
      },
      "compare_request_refused",
      "createCandidate",
    ],
  ];

  it.each(spoil)("%s", async (_, change, code, operation) => {
    const document = providerDocument();
    change(document);
    const { exit, findings } = await run(document);
    expect(findings.map((each) => each.code)).toContain(code);
    expect(new Set(findings.map((each) => each.code))).toEqual(new Set([code]));
    expect(findings.map((each) => each.operation)).toContain(operation);
    const isError = findings.some(({ severity }) => severity === "error");
    expect(exit).toBe(isError ? 1 : 0);
    for (const { expected, actual, fix, section } of findings) {
      for (const each of [expected, actual, fix, section]) expect(each).not.toBe("");
    }
  });

  it("with a text as number of positions of a second variant that lacks some optional fields", async () => {
    const document = providerDocument();
    const { Shift } = providerDocument({ variant: "b" }).components.schemas;
    const second = reach(Shift, "properties");
    for (const name of ["createdAt", "updatedAt"]) delete second[name];
    second.numberOfPositions = { type: "string" };
    document.components.schemas.Shift = { oneOf: [document.components.schemas.Shift, Shift] };
    const { findings } = await run(document);
    expect(findings.map(({ code }) => code)).toContain("compare_answer_differs");
  });

  it("with integer ids in variant B, as a document of variant B", async () => {
    const document = providerDocument({ variant: "b" });
    const shift = fieldsOf(document, "Shift");
    shift.id = { type: "integer" };
    reach(shift, "assignedCandidates", "items", "properties").id = { type: "integer" };
    const { exit, findings } = await run(document);
    expect(exit).toBe(1);
    expect(
      findings.map(({ operation, actual }) => [operation, /\((response[^;]*)/.exec(actual)?.[1]]),
    ).toEqual([
      ["getShift", "response.body.id"],
      ["getShift", "response.body.assignedCandidates.0.id"],
      ["updateShift", "response.body.id"],
      ["updateShift", "response.body.assignedCandidates.0.id"],
    ]);
  });

  it("does not state how requests name the organisation", async () => {
    const document = providerDocument({ routing: "header" });
    for (const item of Object.values(document.paths)) {
      const parameters = item.parameters as unknown as { in: string }[];
      item.parameters = parameters.filter((parameter) => parameter.in === "path") as never;
    }
    const { exit, findings } = await run(document);
    expect(exit).toBe(0);
    expect(findings.map(({ code }) => code)).toEqual(["compare_tenant_header_undocumented"]);
  });

  it("is reported on the terminal, with a fix", async () => {
    const document = providerDocument();
    delete document.paths[`${PREFIX}/roles`];
    const { io, out } = terminal();
    expect(await compare([write(stringify(document))], io)).toBe(1);
    expect(out).toContain("GET /roles  listRoles");
    expect(out).toContain("    contract  section 4.2, compare_operation_missing");
    expect(out).toContain("    expected  GET /roles");
    expect(out.at(-1)).toMatch(/^fails: 1 error, 0 warnings/);
  });
});

describe("a file that cannot be compared", () => {
  it.each([
    ["nothing.yaml", undefined, "nothing.yaml cannot be read as YAML or JSON: ENOENT"],
    ["broken.yaml", "a: [", "broken.yaml cannot be read as YAML or JSON: "],
    ["text.yaml", "hello", "text.yaml contains no YAML or JSON object"],
    ["package.json", '{"name":"x"}', "is not an OpenAPI document"],
    ["events.yaml", "asyncapi: 3.0.0\nchannels: {}", "is not an OpenAPI document"],
    ["lost.yaml", "openapi: 3.1.0\npaths: {/a: {$ref: gone.yaml}}", "gone.yaml cannot be read"],
    ["empty.yaml", "openapi: 3.1.0\npaths: {/a: {$ref: 'empty2.yaml#/b'}}", "empty2.yaml"],
    [
      "far.yaml",
      "openapi: 3.1.0\npaths: {/a: {$ref: 'https://x.example/a.yaml'}}",
      "bundle the document into one file",
    ],
  ])("%s is exit code 2 and one line", async (name, text, message) => {
    const file = text === undefined ? join(folder, name) : write(text, name);
    const { io, out, err } = terminal();
    expect(await compare([file], io)).toBe(2);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
    expect(out).toEqual([]);
  });

  it.each([[[]], [["a", "b"]], [["a", "--wat"]]])("%j is exit code 2, too", async (argv) => {
    const { io, out, err } = terminal();
    expect(await compare(argv, io)).toBe(2);
    expect(err).toHaveLength(1);
    expect(out).toEqual([]);
  });
});

it("writes its reports with --report", async () => {
  const { io } = terminal();
  const document = providerDocument();
  delete document.paths[`${PREFIX}/roles`];
  const reports = join(folder, "reports");
  expect(await compare([write(stringify(document), "own.yaml"), "--report", reports], io)).toBe(1);
  expect(readdirSync(reports).sort()).toEqual(["junit.xml", "report.html", "report.json"]);
  const text = (name: string) => readFileSync(join(reports, name), "utf8");
  expect(JSON.parse(text("report.json"))).toMatchObject({
    subject: "compare: own.yaml",
    summary: { verdict: "fails", errors: 1 },
    findings: [{ code: "compare_operation_missing", operation: "listRoles" }],
  });
  expect(text("junit.xml")).toMatch(
    /<testsuite name="compare: own.yaml" tests="\d+" failures="1" skipped="0"/,
  );
  expect(text("junit.xml")).toContain('<failure type="compare_operation_missing"');
  expect(text("report.html")).toContain("<code>GET /roles</code>");
});

it.each([
  ["", "--report must name a folder"],
  ["/dev/null/x", "not writable"],
])("reports in one line that it cannot write reports to %j", async (reports, message) => {
  const { io, err } = terminal();
  expect(await compare([OURS, "--report", reports], io)).toBe(2);
  expect(err).toEqual([expect.stringContaining(message)]);
});

it("prints its help", async () => {
  const { io, out } = terminal();
  expect(await compare(["--help"], io)).toBe(0);
  expect(out.join("\n")).toContain("Examples:");
});

it("reports no code that is missing in the list of codes", () => {
  expect(codes).toMatchObject(compareCodes);
});
