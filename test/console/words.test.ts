import { describe, expect, it } from "vitest";
import { faultText } from "../../src/console/components/field-faults.ts";
import { healthText } from "../../src/contract/operator-text.ts";

describe("the words of the console", () => {
  it.each([
    ["/startTime", "must be before the end", "Start time must be before the end"],
    ["#/body/baseUrl", "is missing", "Base url is missing"],
    ["#/query/from", "must be a time", "From must be a time"],
    ["", "has no change", "Has no change"],
  ])("name the field of %s", (pointer, message, text) => {
    expect(faultText(pointer, message)).toBe(text);
  });

  it("do not claim that a provider keeps the contract because it responds", () => {
    const { detail } = healthText({ code: "reachable", paused: "nothing", resumes: "automatically" });
    expect(detail).not.toContain("contract");
  });
});
