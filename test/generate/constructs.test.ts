import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Router } from "express";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WIDER } from "../../scripts/emit/openapi/schemas.ts";
import type { Validator } from "../../src/runtime/validator.ts";
import { WORKS } from "./constructs.ts";
import { REFUSED } from "./refused.ts";
import { compile, faultOf, folderInProject, openapi, run } from "./workspace.ts";

const ROWS = Object.entries(WORKS).map(([name, construct], index) => ({
  name,
  id: `echo${index}`,
  schemaName: `Thing${index}`,
  contentType: "application/json",
  refuses: [],
  ...construct,
}));

/** A document with one operation for each construct, which returns what it is sent. */
function document(): object {
  const paths: [string, object][] = ROWS.map(({ id, schemaName, contentType }) => {
    const content = { [contentType]: { schema: { $ref: `#/components/schemas/${schemaName}` } } };
    const responses = { 200: { description: "The same", content }, default: { $ref: PROBLEM } };
    const requestBody = { required: true, content };
    return [`/${id}`, { patch: { operationId: id, requestBody, responses } }];
  });
  const content200 = { "application/json": { schema: { type: "string" } } };
  const statuses = {
    207: { description: "Several", content: content200 },
    418: { description: "No coffee" },
    default: { $ref: PROBLEM },
  };
  paths.push(["/many", { patch: { operationId: "many", responses: statuses } }]);
  const listOf = (type: string, more: object = {}) => ({
    in: "query",
    schema: { type: "array", items: { type } },
    ...more,
  });
  const lists = [
    listOf("integer", { name: "numbers", required: true }),
    listOf("string", { name: "texts", explode: true }),
  ];
  const anything = { "application/json": { schema: {} } };
  const answers = { 200: { description: "The same", content: anything }, default: { $ref: PROBLEM } };
  paths.push(["/listed", { get: { operationId: "listed", parameters: lists, responses: answers } }]);
  const schemas = Object.fromEntries(ROWS.map(({ schemaName, schema }) => [schemaName, schema]));
  const Problem = { type: "object", required: ["code"], properties: { code: { type: "string" } } };
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const components = {
    schemas: { Defined: { type: "null", $defs: { part: { type: "string" } } }, Problem, ...schemas },
    responses: { Refused: { description: "Refused", content } },
  };
  const other = { $ref: "none.yaml#/a" };
  return openapi({ document: { paths: Object.fromEntries(paths), components, "x-other": other } });
}
const PROBLEM = "#/components/responses/Refused";

/** Each value that is accepted must have the type, and the type must be the expected one. */
const USES = `import type { Handlers } from "./small/server.ts";
import type * as types from "./small/index.ts";\nexport * from "./small/server.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;
${ROWS.map(({ schemaName, accepts, type }) =>
  [
    `export const is${schemaName}: Equal<Flat<types.${schemaName}>, Flat<${type}>> = true;`,
    ...accepts.map(
      (value, index) =>
        `export const v${schemaName}n${index}: types.${schemaName} = ${JSON.stringify(value)};`,
    ),
  ].join("\n"),
).join("\n")}
export const many = async (client: types.Client): Promise<string | undefined> => {
  const result = await client.many();
  if (result.status === 207) return result.data satisfies string;
  const none: undefined = result.data;
  return result.status === 511 ? result.error.code : none;
};
export const handlers: Pick<Handlers<undefined>, "many">[] = [
  { many: () => ({ status: 207, body: "a" }) },
  { many: () => ({ status: 418 }) },
  { many: () => ({ status: 511, body: { code: "a" } }) },
  // @ts-expect-error: default covers errors only
  { many: () => ({ status: 201, body: { code: "a" } }) },
];
`;

interface Generated {
  createRouter(options: object): Router;
  createClient(
    options: object,
  ): Record<string, (init: object) => Promise<{ status: number; data?: unknown }>>;
  schemas: Record<string, Validator<unknown>>;
}

describe("a construct", () => {
  const folder = folderInProject();
  let generated: Generated;
  let answer: object;
  let close = () => {};
  let client: ReturnType<Generated["createClient"]>;

  beforeAll(async () => {
    const spec = join(folder.path, "spec");
    mkdirSync(spec);
    writeFileSync(join(spec, "small.openapi.yaml"), JSON.stringify(document()));
    const { code, error } = await run("--spec", spec, "--out", folder.path);
    if (code !== 0) throw new Error(error);
    const files = ["server.ts", "client.ts", "validators.js"].map((name) => join(folder.path, "small", name));
    generated = Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))));
    const echo = ({ body }: { body: unknown }) => ({ status: 200, body });
    const many = () => answer;
    const listed = ({ query }: { query: unknown }) => ({ status: 200, body: query });
    const handlers = Object.fromEntries([
      ["many", many],
      ["listed", listed],
      ...ROWS.map(({ id }) => [id, echo]),
    ]);
    const server = express().use(generated.createRouter({ handlers })).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    close = () => server.close();
    client = generated.createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });
  afterAll(() => {
    close();
    folder.remove();
  });

  it.each(ROWS)("has one verdict in validator, client and stub: $name", async (row) => {
    const { id, schemaName, accepts, refuses } = row;
    for (const value of [...accepts, ...refuses]) {
      const isAccepted = accepts.includes(value);
      const validate = generated.schemas[schemaName] as Validator<unknown>;
      expect([value, validate(value)]).toEqual([value, isAccepted]);
      expect([value, validate.errorsOf(value).map(({ message }) => message)]).toEqual([
        value,
        isAccepted ? [] : expect.not.arrayContaining(["does not have the expected form"]),
      ]);
      const { status, data } = (await client[id]?.({ body: value })) ?? {};
      expect([status, data]).toEqual(isAccepted ? [200, value] : [400, undefined]);
    }
  });

  it.each([
    [
      { status: 207, body: "a" },
      { status: 207, data: "a" },
    ],
    [{ status: 418 }, { status: 418, error: { text: "" } }],
    [
      { status: 511, body: { code: "b" } },
      { status: 511, error: { code: "b" } },
    ],
    [{ status: 201, body: { code: "b" } }, { status: 500 }],
  ])("has the statuses that it lists, and default for errors: %j", async (given, expected) => {
    answer = given;
    expect(await client.many?.({})).toMatchObject(expected);
  });

  it.each<[sent: object, received: object | number]>([
    [{ numbers: [1] }, { numbers: [1] }],
    [{ numbers: [1, 2] }, { numbers: [1, 2] }],
    // No name is sent for an empty list, which is a missing parameter.
    [{ numbers: [] }, 400],
    [{ numbers: [""] }, 400],
    [{ numbers: [1], texts: [] }, { numbers: [1] }],
    ...[["a"], ["a", "b"], [""], ["", ""], ["a,b"], ["a,b", "c"], ["1"], ["å&b=c", "%2C +#"]].map(
      (texts): [object, object] => [
        { numbers: [1], texts },
        { numbers: [1], texts },
      ],
    ),
  ])("that is a list in the query is received as it was sent, or refused: %j", async (query, received) => {
    const result = await client.listed?.({ params: { query } });
    if (typeof received === "number") expect(result).toMatchObject({ status: received, error: {} });
    else expect([result?.status, result?.data]).toEqual([200, received]);
  });

  it("has the type of its values", () => {
    expect(compile(folder.path, { "uses.ts": USES })).toEqual([]);
  });

  it("has a type that allows more only by a keyword of which the guide says so", () => {
    const known = [...WIDER.map((keyword) => `"${keyword}":`), '"integer"'];
    const uses = ROWS.flatMap(({ schemaName, refuses, schema }) =>
      refuses.map((value, index): [file: string, text: string, isKnown: boolean] => [
        `${schemaName}n${index}.ts`,
        `import type * as types from "./small/index.ts";\nexport declare const v: ${JSON.stringify(value)};\nexport const t: types.${schemaName} = v;`,
        known.some((word) => JSON.stringify(schema).includes(word)),
      ]),
    );
    const refused = compile(folder.path, Object.fromEntries(uses)).map(({ file }) => file);
    const wider = uses.filter(([file]) => !refused.includes(file));
    expect(wider.length).toBeGreaterThan(10);
    expect(wider.filter(([, , isKnown]) => !isKnown)).toEqual([]);
  });
});

describe("what the generated code would not heed is refused, with file, line, place and what to do:", () => {
  it.each(REFUSED)("$name", async ({ files, at, says }) => {
    const fault = await faultOf(files);
    expect(fault).toMatch(/^(?:spec\/\S+\.(?:ya?ml|json):[1-9]\d*:[1-9]\d*(?: #\S+)?\n)+ {2}\S.*\n {2}-> \S/);
    if (at !== undefined) expect(/^\S+ #(.*)$/m.exec(fault)?.[1]).toBe(at);
    expect(fault).toMatch(says);
  });
});
