import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { grownDocument } from "../../../scripts/bench/grown-document.ts";
import { scansOf } from "../../../scripts/bench/plans.ts";
import { alternate } from "../../../scripts/bench/rounds.ts";
import { shiftWithZod } from "../../../scripts/bench/shift-with-zod.ts";
import { readShift } from "../../../src/contract/shift.ts";

const example = (name: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../../spec/examples/${name}.json`, import.meta.url)), "utf8"),
  );

describe("what ours is compared with", () => {
  it.each(["shift-variant-a", "shift-variant-b", "shift-shared-fields-only"])(
    "reads %s as ours does",
    (name) => {
      const body = example(name);
      expect(shiftWithZod.parse(body)).toEqual(readShift(body, "Europe/Stockholm").shift);
    },
  );

  it("refuses a shift that ends before it starts", () => {
    const { startTime, endTime, ...rest } = example("shift-variant-a");
    expect(shiftWithZod.safeParse({ ...rest, startTime: endTime, endTime: startTime }).success).toBe(false);
  });

  it("takes turns", async () => {
    const order: string[] = [];
    const turn = (name: string) => async () => order.push(name);
    expect(await alternate({ a: turn("a"), b: turn("b") }, 2)).toEqual({ a: [1, 3], b: [2, 4] });
    expect(order).toEqual(["a", "b", "a", "b"]);
  });
});

describe("a grown document", () => {
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

  it("says everything again under other names", () => {
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

  it("is the same when it is to be no larger", () => {
    expect(grownDocument(small, 1)).toEqual(small);
  });
});

describe("a plan", () => {
  const scan = (type: string, rest: object = {}) => ({
    "Node Type": type,
    "Relation Name": "events",
    ...rest,
  });

  it("tells of a table that is read whole, and of indexes, at any depth", () => {
    const below = [scan("Seq Scan"), scan("Index Scan", { "Index Name": "events_shift" })];
    expect(scansOf({ "Node Type": "Limit", Plans: [{ "Node Type": "Sort", Plans: below }] })).toEqual([
      "seq scan",
      "index scan, events_shift",
    ]);
  });

  it("tells of a bitmap's index, not of its heap, and of nothing that is another table's", () => {
    const bitmap = { "Node Type": "Bitmap Index Scan", "Index Name": "events_status" };
    expect(scansOf({ ...scan("Bitmap Heap Scan"), Plans: [bitmap] })).toEqual([
      "bitmap index scan, events_status",
    ]);
    expect(scansOf({ "Node Type": "Seq Scan", "Relation Name": "integrations" })).toEqual([]);
  });
});
