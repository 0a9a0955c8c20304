import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemas } from "../../generated/provider/validators.js";
import { catalogue, type ProblemCode, problem } from "../../src/contract/problem.ts";

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
