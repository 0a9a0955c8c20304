import { describe, expect, it } from "vitest";
import { settingsHelp } from "../../src/cli/usage.ts";
import { SETTING_NAMES, SETTING_RULES, SETTINGS } from "../../src/platform/settings.ts";

describe("the table of settings", () => {
  it.each(SETTING_NAMES)("%s has a permitted default, and help in sentences", (name) => {
    const { kind, default: value, help } = SETTINGS[name];
    if (value !== undefined) expect(kind.faultOf(name, value, {})).toBeUndefined();
    expect(help).toMatch(/^[A-Z0-9`].*\.$/);
  });

  it("has a setting for each one that another requires or is used with", () => {
    const named = SETTING_NAMES.flatMap((name) => SETTINGS[name].usedWith ?? []);
    const noted = SETTING_RULES.flatMap(({ note }) => note.match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);
    expect([...named, ...noted].length).toBeGreaterThan(4);
    expect(SETTING_NAMES).toEqual(expect.arrayContaining([...named, ...noted]));
  });
});

describe("the help of shiftpact platform", () => {
  it("shows what a setting does, its values, its default, its rules and its file", () => {
    const help = settingsHelp();
    expect(help).toContain(
      [
        "  DRAIN_SECONDS              How long the process keeps serving after SIGTERM. Meanwhile /health/ready answers",
        "                             503, so that the load balancer stops sending requests.",
        "                             (0 to 300 seconds; default 5)",
      ].join("\n"),
    );
    expect(help.replaceAll(/\s+/g, " ")).toContain("required with DATABASE_URL; or SECRET_KEY_FILE)");
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});
