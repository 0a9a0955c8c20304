import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/platform/config.ts";
import { ConfigError } from "../../../src/platform/environment.ts";

const ENV = { OPERATIONS_TOKEN: "x".repeat(16), SECRET_KEY: Buffer.alloc(32).toString("base64") };
const FROM = "shifts@example.com";

const read = (env: Record<string, string>) => readConfig({ ...ENV, ...env });

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe("the configuration of mail", () => {
  it.each([
    "smtp://mail.example:587",
    "smtps://mail.example",
    "smtps://user:p%40ss@mail.example:465",
    "smtp://[::1]:25",
  ])("accepts %s", (url) => {
    expect(read({ SMTP_URL: url, SMTP_FROM: FROM }).mail).toEqual({ url, from: FROM });
  });

  it("is optional", () => {
    expect(read({})).not.toHaveProperty("mail");
    expect(read({ SMTP_FROM: FROM })).not.toHaveProperty("mail");
  });

  it.each([
    "mail.example",
    "http://mail.example",
    "smtp://",
    "smtp:mail",
    "smtps://user:100%zz@mail.example",
  ])("refuses SMTP_URL=%s in one line that does not repeat the value", (url) => {
    const faults = faultsOf({ SMTP_URL: url, SMTP_FROM: FROM });
    expect(faults).toEqual([expect.stringMatching(/^SMTP_URL must be smtp:\/\/[^\n]*$/)]);
    expect(faults[0]).not.toContain("zz");
  });

  it.each(["no-address", "Shifts <shifts@example.com>", "a@b, c@d", "a@b\r\nBcc: c@d"])(
    "refuses SMTP_FROM=%j",
    (from) => {
      const faults = faultsOf({ SMTP_URL: "smtp://mail.example", SMTP_FROM: from });
      expect(faults).toEqual(["SMTP_FROM must be a bare address, such as shifts@example.com"]);
    },
  );

  it("requires SMTP_FROM", () => {
    expect(faultsOf({ SMTP_URL: "smtp://mail.example" })).toEqual(["SMTP_FROM is required with SMTP_URL"]);
  });
});
