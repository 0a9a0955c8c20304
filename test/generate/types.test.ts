import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import { type Compiled, compile, folderInProject, folderWith, LIBRARY, openapi, run } from "./workspace.ts";

const folder = folderInProject();
afterAll(() => folder.remove());

/** Correct code on the fixture's types; each line of MISTAKES is added to it separately. */
const USES = `
import { createClient } from "./library/client.ts";
import { createRouter, type Handlers, operationsTable } from "./library/server.ts";
import type { AudioBook, Book, PrintedBook } from "./library/types.ts";
import { requests, responses, schemas } from "./library/validators.js";
import { schemas as events } from "./events/validators.js";
import { type Message, messages } from "./events/types.ts";

const printed: PrintedBook = { bookId: "1", title: "Momo", pages: 304, subtitle: null };
const audio: AudioBook = { bookId: "1", title: "Momo", minutes: 400, format: "mp3" };
export const handlers: Handlers<{ reader: string }> = {
  listBooks: ({ query }, { reader }) => ({ status: 200, body: { items: [printed] }, headers: { reader, n: String(query.limit ?? 1) } }),
  addBook: async ({ body }) => ({ status: 201, body }),
  newestBook: (_request, context: undefined) => ({ status: 204 }),
  getBook: ({ path }) => ({ status: 200, body: { ...printed, bookId: path.bookId } }),
  renameBook: ({ body }) => (body === undefined ? { status: 204 } : { status: 204, headers: { title: body.title } }),
  returnBook: () => ({ status: 200, body: { success: true } }),
};
export const router = createRouter({ handlers, authenticate: () => ({ reader: "Momo" }) });
export const id: "listBooks" = operationsTable[0].operationId;
export async function read(value: unknown): Promise<string> {
  const client = createClient({ baseUrl: "http://localhost" });
  const { data, error } = await client.getBook({ params: { path: { bookId: "1" } } });
  if (error !== undefined) return error.code ?? "no JSON";
  const list = await client.listBooks();
  const first: Book | undefined = list.data?.items[0];
  if (schemas.AudioBook(value)) return value.format ?? "none";
  if (events.Lent(value)) return value.until;
  if (responses.getBook[404](value)) return value.code;
  if (requests.addBook.body(value)) return value.title;
  const message: Message = { event: "book.lent", bookId: "1", until: "2024-01-01" };
  return data.title + (first?.title ?? "") + message.event + messages["book.lent"].title + audio.title;
}
`;

const MISTAKES: Record<string, [code: string, error: RegExp]> = {
  "a missing handler": [
    "const { returnBook: _1, ...some } = handlers; export const h: Handlers<{ reader: string }> = some;",
    /returnBook/,
  ],
  "an undeclared status": ["handlers.returnBook = () => ({ status: 204 });", /204/],
  "a body of another shape": [
    "handlers.returnBook = () => ({ status: 200, body: { success: false } });",
    /success|false/,
  ],
  "a success with the error's body": [
    'handlers.listBooks = () => ({ status: 200, body: { type: "", title: "", status: 1, code: "" } });',
    /items|not assignable/,
  ],
  "a context without authentication": [
    "handlers.newestBook = (_r, context: { reader: string }) => ({ status: 204 });",
    /undefined/,
  ],
  "the code of an error that may be no problem": [
    "export const c = async (): Promise<string> => (await createClient().listBooks()).error?.code ?? 1;",
    /number/,
  ],
  "a forgotten parameter": ["createClient().getBook();", /argument/],
  "a required field left out": ['export const p: PrintedBook = { bookId: "1", title: "Momo" };', /pages/],
  "a field of the other branch": [
    'export const b: AudioBook = { bookId: "1", title: "Momo", pages: 1 };',
    /never/,
  ],
};

describe("the generated types", () => {
  let found: Compiled[] = [];
  const names = Object.keys(MISTAKES);

  beforeAll(async () => {
    mkdirSync(folder.path, { recursive: true });
    await run("--spec", LIBRARY, "--out", folder.path);
    const mistakes = Object.values(MISTAKES).map(([code], index) => [
      `mistake${index}.ts`,
      `${USES}\n${code}\n`,
    ]);
    found = compile(folder.path, { "uses.ts": USES, ...Object.fromEntries(mistakes) });
  });

  it("let correct uses compile", () => {
    expect(found.filter(({ file }) => !file.startsWith("mistake"))).toEqual([]);
  });

  it.each(names)("refuse %s", (name) => {
    const texts = found
      .filter(({ file }) => file === `mistake${names.indexOf(name)}.ts`)
      .map(({ text }) => text);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(MISTAKES[name]?.[1] ?? /$^/);
  });

  it("mark deprecated operations for callers and handlers", async () => {
    const output = await emit(LIBRARY);
    for (const file of ["library/client.ts", "library/server.ts"]) {
      const [deprecated, ...others] = (output.get(file) ?? "").split("@deprecated").slice(1);
      expect([file, deprecated?.trimStart().slice(0, 14), others]).toEqual([file, "*/\nrenameBook:", []]);
    }
  });

  it("of the events match the snapshot", () => {
    expect(readFileSync(join(folder.path, "events/types.ts"), "utf8")).toMatchSnapshot();
  });
});

/** Returns the printed type of the schema named Thing, without white space. */
async function typeOf(schemas: object): Promise<string> {
  const output = await emit(folderWith({ "small.openapi.yaml": openapi({ schemas }) }));
  const text = (output.get("small/types.ts") ?? "").replace(/\s+/g, " ");
  const start = text.indexOf(" Thing: ") + " Thing: ".length;
  return text.slice(start, text.indexOf("; End: ", start));
}

describe("a schema that a type cannot fully express", () => {
  const End = { type: "string" };
  const Base = {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string" }, b: { type: "number" } },
  };
  const base = { $ref: "#/components/schemas/Base" };

  it.each<[string, object, string]>([
    ["allOf with more required members", { allOf: [base, { required: ["b"] }] }, "{ a: string; b: number; }"],
    ["a reference with more required members", { ...base, required: ["b"] }, "{ a: string; b: number; }"],
    [
      "branches that only require members",
      { allOf: [base], anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      'components["schemas"]["Base"]',
    ],
    [
      "conditions",
      { ...Base, if: { required: ["b"] }, else: { required: ["a"] }, not: { required: ["c"] } },
      "{ a: string; b?: number; }",
    ],
    ["a forbidden member", { allOf: [base, { properties: { b: false } }] }, "{ a: string; b?: never; }"],
    [
      "a narrowed member",
      { allOf: [base, { properties: { a: { const: "x" } } }] },
      '{ /** @constant */ a: "x"; b?: number; }',
    ],
  ])("keeps its shape: %s", async (_name, Thing, type) => {
    expect(await typeOf({ Base, Thing, End })).toBe(type);
  });
});
