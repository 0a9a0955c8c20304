import { describe, expect, it } from "vitest";
import type { Issue } from "../../generated/operations/types.ts";
import { codesOf, groupIssues } from "../../src/console/issues/issue-groups.ts";
import { readSubject } from "../../src/console/issues/issue-subject.ts";
import { wordsOf } from "../../src/console/issues/issue-words.ts";
import { ISSUES } from "../../src/platform/issues/issues.ts";

function issue(code: string, providerId: string | undefined, minute: number): Issue {
  const at = new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString();
  return {
    issueId: `${code} of ${providerId}`,
    ...(providerId !== undefined && { providerId }),
    ...{ code, subject: "calls", detail: "", remedy: "", count: 1, firstAt: at, lastAt: at },
  };
}

describe("issues by organisation", () => {
  it("come the most urgent first, then the most recent", () => {
    const groups = groupIssues([
      issue("provider_check", "calm", 50),
      issue("outlet_not_mapped", "waiting", 40),
      issue("provider_check", "burning", 30),
      issue("provider_down", "burning", 10),
      issue("role_not_mapped", "waiting", 45),
      issue("notification_failed", undefined, 1),
    ]);
    expect(groups.map(({ providerId, issues }) => [providerId, issues.map(({ code }) => code)])).toEqual([
      ["burning", ["provider_down", "provider_check"]],
      ["waiting", ["role_not_mapped", "outlet_not_mapped"]],
      [undefined, ["notification_failed"]],
      ["calm", ["provider_check"]],
    ]);
  });

  it("tell which codes there are, the most frequent first", () => {
    const issues = [issue("b", "x", 1), issue("a", "x", 2), issue("b", "y", 3), issue("c", "y", 4)];
    expect(codesOf(issues)).toEqual([
      { code: "b", count: 2 },
      { code: "a", count: 1 },
      { code: "c", count: 1 },
    ]);
  });
});

describe("an issue in words", () => {
  it("has a title of its own for every code of the platform", () => {
    const untitled = Object.keys(ISSUES).filter((code) => wordsOf(code).title === code.replaceAll("_", " "));
    expect(untitled).toEqual([]);
    expect(wordsOf("news_of_tomorrow")).toEqual({ title: "news of tomorrow", urgency: "soon" });
  });

  it("knows the shift and the candidate that its subject names", () => {
    expect(readSubject("shift 4a9d")).toEqual({ kind: "shift", shiftId: "4a9d" });
    expect(readSubject("shift a, b, candidate 77")).toEqual({
      kind: "shift",
      shiftId: "a, b",
      candidateId: "77",
    });
    expect(readSubject("outlet 12")).toEqual({ kind: "outlet 12" });
  });
});
