import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { curlOf, redact } from "../../src/verify/exchange.ts";

const LONG = "the-token-of-the-test";
const sent = (authorization: string, url = "http://provider.example/roles") => ({
  method: "GET",
  url,
  headers: { Authorization: authorization },
  body: undefined,
});

describe("a token is masked where it is a value", () => {
  it.each(["a", "1", LONG])("in a header: %s", (token) => {
    const curl = curlOf(sent(`Bearer ${token}`), { PROVIDER_TOKEN: token });
    const variable = "$".concat("{PROVIDER_TOKEN}");
    expect(curl).toBe(`curl -i 'http://provider.example/roles' -H "Authorization: Bearer ${variable}"`);
  });

  it.each(["a", LONG])("as user information and in the query of a URL: %s", (token) => {
    const secrets = { PROVIDER_TOKEN: token };
    expect(redact(`http://${token}:${token}@provider.example/roles?key=${token}&x=1`, secrets)).toBe(
      "http://$PROVIDER_TOKEN:$PROVIDER_TOKEN@provider.example/roles?key=$PROVIDER_TOKEN&x=1",
    );
  });

  it("as a separate word, if it is too long for an ordinary word", () => {
    expect(redact(`bad token "${LONG}", sorry`, { T_TOKEN: LONG })).toBe('bad token "$T_TOKEN", sorry');
  });
});

describe("a token is not masked as a part of another text", () => {
  it.each([
    ["a", "status 400: a start that is no date"],
    ["1", "http://127.0.0.1:4010/providers/1/shifts/11"],
    ["status", "the status is wrong: status 400"],
    ["provider-1", "provider-12 and my-provider-1"],
  ])("%j in %j", (token, text) => {
    expect(redact(text, { PROVIDER_TOKEN: token })).toBe(text);
  });
});

describe("a modified token", () => {
  it.each([
    ["one character more", `Bearer ${LONG}~`],
    ["one character less", `Bearer ${LONG.slice(0, -1)}`],
    ["the other case", `Bearer ${LONG.toUpperCase()}`],
    ["another scheme", `Token ${LONG}`],
    ["no scheme", LONG],
  ])("is masked, and restored by the shell: %s", (_, authorization) => {
    const curl = curlOf(sent(authorization), { PROVIDER_TOKEN: LONG });
    expect(curl.toLowerCase()).not.toContain("the-token");
    const [, header = ""] = /-H (.*)$/.exec(curl) ?? [];
    const env = { PATH: process.env.PATH, PROVIDER_TOKEN: LONG };
    const shown = execFileSync("sh", ["-c", `printf %s ${header}`], { env, encoding: "utf8" });
    expect(shown).toBe(`Authorization: ${authorization}`);
  });
});
