import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** In the order of the decisions; the last four are about personal data and secrets. */
const DECISIONS = [
  "PUT /shifts/{id} body",
  "PUT /shifts/{id} response",
  "unassign: two forms",
  "assign response",
  "same assignment repeated",
  "name query parameter",
  "candidate not found",
  "personal number",
  "minimal or full create payload",
  "POST /candidates",
  "registry pagination",
  "limits of other fields",
  "shift status",
  "number of positions",
  "overbooking, accept race",
  "positions fall below the number assigned",
  "shift.update without a material change",
  "shift.delete",
  "past shift; started shift",
  "outlet or role not mapped",
  "unknown event name",
  "malformed; not authorised",
  "{provider} path segment",
  "duplicate traceId",
  "order of events",
  "GET answers 404",
  "time without offset",
  "retries to a provider",
  "provider's webhook retries",
  "events that never came",
  "error body",
  "error codes",
  "rate limits",
  "tokens",
  "tenant header name",
  "how traceId travels in calls",
  "versioning",
  "mapping suggestions",
  "personal data in logs, metrics, traces, errors and reports",
  "masked values, reveal, erasure",
  "tokens at rest and in comparison",
  "addresses of providers",
];

const inTests = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const rows = readFileSync(inTests("decisions.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => {
    const [decision = "", path = "", name = "", ...rest] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", ""));
    return { decision, path, name, rest };
  });

/** As a title, what a call begins with: of a test that runs, or of a group of them. */
function isTitleIn(source: string, name: string): boolean {
  const called = String.raw`\b(?:it|test|describe)(?:\.(?:each|for|prop)\b[^;]*?)?\(\s*`;
  return ['"', "`"].some((quote) => new RegExp(`${called}${quote}${escaped(name)}${quote}`).test(source));
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe("the table of decisions", () => {
  it("has every one of them, in order", () => {
    const decisions = rows.map(({ decision }) => decision);
    expect(decisions.filter((each, index) => each !== decisions[index - 1])).toEqual(DECISIONS);
  });

  it("names tests that there are, each of them once for a decision", () => {
    const missing = rows.filter(({ path, name, rest }) => {
      const file = inTests(path);
      return rest.length > 0 || !existsSync(file) || !isTitleIn(readFileSync(file, "utf8"), name);
    });
    expect(missing).toEqual([]);
    expect(new Set(rows.map((row) => Object.values(row).join("|"))).size).toBe(rows.length);
  });
});
