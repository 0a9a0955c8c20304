import { describe, expect, it } from "vitest";
import { grownDocument } from "../../../scripts/bench/grown-document.ts";
import { scansOf } from "../../../scripts/bench/plans.ts";
import { alternate } from "../../../scripts/bench/rounds.ts";

describe("contenders", () => {
  it("are measured in turn", async () => {
    const order: string[] = [];
    const turn = (name: string) => async () => order.push(name);
    expect(await alternate({ a: turn("a"), b: turn("b") }, 2)).toEqual({ a: [1, 3], b: [2, 4] });
    expect(order).toEqual(["a", "b", "a", "b"]);
  });
});

describe("grownDocument", () => {
  const small = {
    openapi: "3.1.0",
    paths: {
      "/books": {
        get: {
          operationId: "listBooks",
          responses: { "200": { $ref: "#/components/responses/Books" } },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: "http" } },
      responses: { Books: { content: { $ref: "#/components/schemas/Book" } } },
      schemas: { Book: { type: "object" } },
    },
  };

  it("repeats everything under other names", () => {
    const grown = grownDocument(small, 3) as typeof small & { paths: Record<string, unknown> };
    expect(Object.keys(grown.paths)).toEqual(["/books", "/copy1/books", "/copy2/books"]);
    expect(grown.paths["/copy2/books"]).toEqual({
      get: {
        operationId: "listBooksCopy2",
        responses: { "200": { $ref: "#/components/responses/BooksCopy2" } },
      },
    });
    expect(Object.keys(grown.components.schemas)).toEqual(["Book", "BookCopy1", "BookCopy2"]);
    expect(Object.keys(grown.components.securitySchemes)).toEqual(["token"]);
  });

  it("returns the same document for one copy", () => {
    expect(grownDocument(small, 1)).toEqual(small);
  });
});

describe("scansOf", () => {
  const scan = (type: string, rest: object = {}) => ({
    "Node Type": type,
    "Relation Name": "events",
    ...rest,
  });

  it("lists sequential scans and indexes, at any depth", () => {
    const below = [scan("Seq Scan"), scan("Index Scan", { "Index Name": "events_shift" })];
    expect(scansOf({ "Node Type": "Limit", Plans: [{ "Node Type": "Sort", Plans: below }] })).toEqual([
      "seq scan",
      "index scan, events_shift",
    ]);
  });

  it("lists the index of a bitmap scan without its heap, and nothing of other tables", () => {
    const bitmap = { "Node Type": "Bitmap Index Scan", "Index Name": "events_status" };
    expect(scansOf({ ...scan("Bitmap Heap Scan"), Plans: [bitmap] })).toEqual([
      "bitmap index scan, events_status",
    ]);
    expect(scansOf({ "Node Type": "Seq Scan", "Relation Name": "integrations" })).toEqual([]);
  });
});
