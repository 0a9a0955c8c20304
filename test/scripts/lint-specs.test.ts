import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { lintSpecs } from "../../scripts/lint-specs.ts";

const HEAD =
  "info: { title: Library, version: 1.0.0, license: { name: MIT, url: https://library.example/license } }";

const SOUND = {
  "books.openapi.yaml": `
openapi: 3.1.0
${HEAD}
servers: [{ url: https://library.example }]
tags: [{ name: loans, description: Who has which book }]
security: [{ token: [] }]
paths:
  /loans/{loanId}:
    get:
      operationId: getLoan
      tags: [loans]
      summary: Read a loan
      parameters: [{ name: loanId, in: path, required: true, description: The loan, schema: { type: string } }]
      responses:
        "200":
          description: The loan
          content:
            application/json:
              schema: { $ref: "schemas/loan.yaml#/Loan" }
              example: { due: "2026-02-28", shelf: an unknown field }
        "404":
          description: No such loan
          content: { application/problem+json: { schema: { $ref: "schemas/loan.yaml#/Problem" } } }
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
`,
  "events.asyncapi.yaml": `
asyncapi: 3.0.0
${HEAD}
servers: { library: { host: library.example, protocol: https, security: [{ type: http, scheme: bearer }] } }
channels: { loans: { address: /loans, messages: { lent: { $ref: "#/components/messages/lent" } } } }
operations: { tellLent: { action: send, channel: { $ref: "#/channels/loans" }, security: [{ type: http, scheme: bearer }] } }
components:
  messages:
    lent: { name: lent, payload: { $ref: "schemas/loan.yaml#/Loan" }, examples: [{ payload: { due: "2026-02-28" } }] }
`,
  "schemas/loan.yaml": `
Loan: { type: object, required: [due], properties: { due: { type: string, format: date, examples: ["2026-02-28"] } } }
Problem: { type: object, properties: { type: { type: string }, title: { type: string } } }
`,
  "examples/index.yaml": "loan.json: schemas/loan.yaml#/Loan\n",
  "examples/loan.json": '{ "due": "2026-02-28" }',
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function lint(files: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "lint-specs-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const findings = await lintSpecs(folder);
  return findings.map(({ file, pointer, message }) => `${file}${pointer}: ${message}`).sort();
}

it("finds nothing in sound documents", async () => {
  expect(await lint(SOUND)).toEqual([]);
});

it("finds nothing in the contract", async () => {
  expect(await lintSpecs(fileURLToPath(new URL("../../spec", import.meta.url)))).toEqual([]);
});

it("finds each fault of a document, and names its place", async () => {
  const books = SOUND["books.openapi.yaml"]
    .replace("operationId: getLoan", "")
    .replace('due: "2026-02-28"', "due: 28");
  const events = SOUND["events.asyncapi.yaml"]
    .replace("action: send", "action: shout")
    .replace("02-28", "02-30");
  const schemas = SOUND["schemas/loan.yaml"].replace("02-28", "02-29");
  const findings = await lint({
    ...SOUND,
    "books.openapi.yaml": books,
    "events.asyncapi.yaml": events,
    "schemas/loan.yaml": schemas,
  });
  for (const fault of [
    /^books.openapi.yaml#.*\/get\/operationId: /,
    /^books.openapi.yaml#.*\/example\/due: .*type/,
    /^schemas\/loan.yaml#\/Loan\/properties\/due\/examples\/0: .*date/,
    /^events.asyncapi.yaml#\/operations\/tellLent\/action: .*asyncapi/,
    /^events.asyncapi.yaml#\/components\/messages\/lent\/examples\/0\/payload: \/due must match format "date"/,
  ]) {
    expect(findings).toContainEqual(expect.stringMatching(fault));
  }
});

it("holds every example file against the schema that the index names", async () => {
  const findings = await lint({
    ...SOUND,
    "examples/index.yaml":
      "loan.json: schemas/loan.yaml#/Loan\nlate.json: schemas/loan.yaml#/Loan\ngone.json: schemas/loan.yaml#/Loan\n" +
      "cut.json: schemas/loan.yaml#/Loan\nlost.json: books.openapi.yaml#/components/schemas/Lost\n",
    "examples/late.json": '{ "due": "2026-02-30" }',
    "examples/cut.json": '{ "due": ',
    "examples/lost.json": "{}",
    "examples/stray.json": "{}",
  });
  expect(findings).toEqual([
    "examples/cut.json#: is not JSON",
    "examples/index.yaml#/gone.json: no such file",
    'examples/late.json#: /due must match format "date"',
    expect.stringMatching(
      /^examples\/lost.json#: books.openapi.yaml#\/components\/schemas\/Lost is not a usable schema/,
    ),
    "examples/stray.json#: is not in examples/index.yaml",
  ]);
});

it("does not take an empty folder for a sound one", async () => {
  expect(await lint({ "notes.txt": "" })).toEqual([".#: holds no document"]);
});
