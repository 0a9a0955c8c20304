import { describe, expect, it } from "vitest";
import type { Issue, IssueCode } from "../../generated/operations/types.ts";
import { groupIssues, urgencyOf } from "../../src/console/issues/issues.ts";

function issue(code: IssueCode, providerId: string | undefined, minute: number): Issue {
  const at = new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString();
  return {
    issueId: `${code} of ${providerId}`,
    ...(providerId !== undefined && { providerId }),
    code,
    subject: { kind: "integration" },
    params: {},
    count: 1,
    firstAt: at,
    lastAt: at,
  };
}

describe("issues by organisation", () => {
  it("keep the order of the list", () => {
    const groups = groupIssues([
      issue("provider_down", "broken", 10),
      issue("role_not_mapped", "waiting", 45),
      issue("outlet_not_mapped", "waiting", 40),
      issue("notification_failed", undefined, 1),
      issue("provider_check", "broken", 30),
    ]);
    expect(groups.map(({ providerId, issues }) => [providerId, issues.map(({ code }) => code)])).toEqual([
      ["broken", ["provider_down", "provider_check"]],
      ["waiting", ["role_not_mapped", "outlet_not_mapped"]],
      [undefined, ["notification_failed"]],
    ]);
  });
});

it("gives an unknown code a normal urgency", () => {
  expect(urgencyOf("code_of_tomorrow" as IssueCode)).toBe("normal");
  expect(urgencyOf("toString" as IssueCode)).toBe("normal");
  expect(urgencyOf("mass_disappearance")).toBe("urgent");
});
