import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemas } from "../../generated/provider/validators.js";
import { catalogue, type ProblemCode, problem } from "../../src/contract/problem.ts";
import { fromTraceparent, toTraceparent, traceHeaders } from "../../src/contract/trace.ts";

const TRACE_ID = "0af76519-16cd-43dd-8448-eb211c80319c";
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const parentId = () => "00f067aa0ba902b7";

describe("traceHeaders", () => {
  it("sends the traceId twice: as it is, and as W3C Trace Context", () => {
    expect(traceHeaders(TRACE_ID, parentId)).toEqual({ "X-Trace-Id": TRACE_ID, traceparent: TRACEPARENT });
  });

  it("writes traceparent in lower case, and X-Trace-Id as it came", () => {
    const upper = TRACE_ID.toUpperCase();
    expect(traceHeaders(upper, parentId)).toEqual({ "X-Trace-Id": upper, traceparent: TRACEPARENT });
  });

  it.each(["", "order-17", "0af7651916cd43dd8448eb211c80319c", "00000000-0000-0000-0000-000000000000"])(
    "gives %j no traceparent",
    (traceId) => {
      expect(traceHeaders(traceId, parentId)).toEqual({ "X-Trace-Id": traceId });
    },
  );

  it("holds only what fetch accepts as a header, whatever the traceId is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (traceId) => {
        expect(() => new Headers({ ...traceHeaders(traceId) })).not.toThrow();
      }),
    );
  });

  it("takes a new random parent id for every call", () => {
    const [first, second] = [toTraceparent(TRACE_ID), toTraceparent(TRACE_ID)];
    expect(first).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(second).not.toBe(first);
  });
});

describe("fromTraceparent", () => {
  it("gives back every traceId", () => {
    fc.assert(
      fc.property(fc.uuid(), (traceId) => {
        expect(fromTraceparent(toTraceparent(traceId, parentId) ?? "")).toBe(traceId);
      }),
    );
  });

  it.each([
    "",
    TRACE_ID,
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-00`,
    TRACEPARENT.replace(/^00/, "ff"),
    TRACEPARENT.replace("00f067aa0ba902b7", "0000000000000000"),
    TRACEPARENT.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  ])("refuses %j", (header) => {
    expect(fromTraceparent(header)).toBeUndefined();
  });
});

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const codes = Object.keys(catalogue) as ProblemCode[];

function texts(folder: string, extension: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(extension));
  return names.map((name) => readFileSync(join(ROOT, folder, name), "utf8"));
}

/** Every value under a key of this name, anywhere in a document. */
function under(key: string, value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(name === key ? [item] : []),
    ...under(key, item),
  ]);
}

/** `words_like_this` in the descriptions, less the values that the document's own enumerations have. */
function codesNamedIn(text: string): string[] {
  const document: unknown = parse(text);
  const values = new Set(under("enum", document).flat());
  const descriptions = under("description", document).filter((each) => typeof each === "string");
  const words = descriptions.flatMap((each) => [...each.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)]);
  return words.map(([, word = ""]) => word).filter((word) => !values.has(word));
}

describe("the error catalogue", () => {
  it.each(codes)("makes a problem document of %s", (code) => {
    const error = problem(code, { detail: "Why.", errors: [{ pointer: "/a", message: "is missing" }] });
    expect(error.status).toBe(catalogue[code].status);
    expect(schemas.Problem.errorsOf(error.problem)).toEqual([]);
    expect(error.problem).toMatchObject({
      type: `https://shiftpact.example/problems/${code}`,
      title: catalogue[code].title,
      code,
      detail: "Why.",
      errors: [{ pointer: "/a", message: "is missing" }],
    });
  });

  it("carries headers to the answer", () => {
    expect(problem("overloaded", {}, { "Retry-After": "2" }).headers).toEqual({ "Retry-After": "2" });
  });

  it("has a distinct title for each kind", () => {
    expect(new Set(codes.map((code) => catalogue[code].title)).size).toBe(codes.length);
  });

  it("holds every code that the generated servers answer with, under the same status", () => {
    const made = texts("src/runtime", ".ts").flatMap((text) => [
      ...text.matchAll(/new ProblemError\(\s*(\d{3}),\s*"(\w+)"/g),
    ]);
    expect(made.length).toBeGreaterThan(5);
    expect(
      made.filter(([, status, code]) => catalogue[code as ProblemCode]?.status !== Number(status)),
    ).toEqual([]);
  });

  it("holds every code that the documents name", () => {
    const named = texts("spec", ".yaml").flatMap(codesNamedIn);
    expect(named).toContain("shift_full");
    expect(named.filter((code) => !(code in catalogue))).toEqual([]);
  });
});
