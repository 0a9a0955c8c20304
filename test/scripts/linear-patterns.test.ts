import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { FORMATS, isLinear } from "../../scripts/emit/formats.ts";
import { PATTERNS } from "../../src/contract/personal-data.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));
/** They compile a known path template, or a pattern from a Pact file of the same package. */
const COMPOSED = [
  "contract/personal-data.ts",
  "platform/metrics/observer.ts",
  "sandbox/faults/middleware.ts",
  "verify/exchange.ts",
  "verify/pact/interaction.ts",
  "verify/pact/mismatches.ts",
];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
const found = files.flatMap((file) => expressionsIn(file, readFileSync(join(SRC, file), "utf8")));

/** Returns the literals of a file, and the calls that compile other expressions (`literal` is undefined). */
function expressionsIn(file: string, text: string): { file: string; place: string; literal?: RegExp }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const place = (node: ts.Node) =>
    `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText()}`;
  const visit = (node: ts.Node): { file: string; place: string; literal?: RegExp }[] => {
    const below = node.getChildren().flatMap(visit);
    if (ts.isRegularExpressionLiteral(node)) {
      const [, pattern = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      return [{ file, place: place(node), literal: new RegExp(pattern, flags) }];
    }
    const isCompiled = ts.isNewExpression(node) && node.expression.getText() === "RegExp";
    return isCompiled ? [{ file, place: place(node) }, ...below] : below;
  };
  return visit(source);
}

describe("the regular expressions of src", () => {
  it("take linear time on every text", () => {
    expect(found.length).toBeGreaterThan(100);
    const slow = found.filter(({ literal }) => literal !== undefined && !isLinear(literal));
    expect(slow.map(({ place }) => place)).toEqual([]);
  });

  it("are literals, but for the listed files", () => {
    const composed = found.filter(({ literal }) => literal === undefined).map(({ file }) => file);
    expect([...new Set(composed)].sort()).toEqual(COMPOSED);
  });

  it.each([...PATTERNS, ...Object.values(FORMATS)].map((pattern) => [pattern.source.slice(0, 60), pattern]))(
    "compose linear expressions: %s",
    (_, pattern) => {
      expect(isLinear(pattern as RegExp)).toBe(true);
    },
  );
});

describe("the check for linear expressions", () => {
  it.each([
    [/\/+$/, false],
    [/^\s+at .+\(?[\w./\\-]+:\d+:\d+\)?$/m, false],
    [/FROM \((.+)\) TO/, false],
    [/\bUPDATE\s+\S+\s+SET\s/, false],
    [/^(?:a|a)*$/, false],
    [/^a*a*$/, false],
    [/^(a+)+$/, false],
    [/^a|b*c/, false],
    [/^a*$/, true],
    [/^(?:[+-]|\+\d{3})\d+$/, true],
    [/^[a-z]+(?:-[a-z]+)*$/, true],
  ])("%s: %s", (pattern, linear) => {
    expect(isLinear(pattern)).toBe(linear);
  });
});
