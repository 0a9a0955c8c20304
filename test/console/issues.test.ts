import { describe, expect, it } from "vitest";
import type { Issue, IssueCode } from "../../generated/operations/types.ts";
import { codesOf, groupIssues, urgencyOf } from "../../src/console/issues/issues.ts";

function issue(code: IssueCode, providerId: string | undefined, minute: number): Issue {
  const at = new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString();
  return {
    issueId: `${code} of ${providerId}`,
    ...(providerId !== undefined && { providerId }),
    ...{ code, subject: { kind: "integration" }, params: {}, count: 1, firstAt: at, lastAt: at },
  };
}

describe("issues by organisation", () => {
  it("are ordered by urgency, then by time", () => {
    const groups = groupIssues([
      issue("provider_check", "calm", 50),
      issue("outlet_not_mapped", "waiting", 40),
      issue("provider_check", "broken", 30),
      issue("provider_down", "broken", 10),
      issue("role_not_mapped", "waiting", 45),
      issue("notification_failed", undefined, 1),
    ]);
    expect(groups.map(({ providerId, issues }) => [providerId, issues.map(({ code }) => code)])).toEqual([
      ["broken", ["provider_down", "provider_check"]],
      ["waiting", ["role_not_mapped", "outlet_not_mapped"]],
      [undefined, ["notification_failed"]],
      ["calm", ["provider_check"]],
    ]);
  });

  it("list their codes, the most frequent first", () => {
    const issues = [
      issue("change_refused", "x", 1),
      issue("booking_failed", "x", 2),
      issue("change_refused", "y", 3),
      issue("token_rejected", "y", 4),
    ];
    expect(codesOf(issues)).toEqual([
      { code: "change_refused", count: 2 },
      { code: "booking_failed", count: 1 },
      { code: "token_rejected", count: 1 },
    ]);
  });
});

it("gives an unknown code a normal urgency", () => {
  expect(urgencyOf("code_of_tomorrow" as IssueCode)).toBe("normal");
  expect(urgencyOf("toString" as IssueCode)).toBe("normal");
  expect(urgencyOf("mass_disappearance")).toBe("urgent");
});
