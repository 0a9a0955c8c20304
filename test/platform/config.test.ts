import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../src/platform/config.ts";
import { ConfigError, SECRETS } from "../../src/platform/environment.ts";

const TOKEN = "a-token-of-the-operators";
const KEY = Buffer.alloc(32, 9).toString("base64");
const SIGNING = `whsec_${Buffer.alloc(32).toString("base64")}`;
const URL = "postgres://localhost/shiftpact";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig({ SHIFTPACT_DATA: folder, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

/** One value that is wrong, and what the one line about it must say. */
const WRONG: [env: Record<string, string>, line: RegExp][] = [
  [{ PORT: "http" }, /^PORT must be a port from 0 to 65535, or HOST:PORT$/],
  [{ PORT: "-1" }, /^PORT /],
  [{ PORT: "a host:3000" }, /^PORT /],
  [{ PORT: "::1:3000" }, /^PORT /],
  [{ HOST: "0.0.0.0" }, /^HOST is no longer a setting: write PORT=HOST:PORT; unset it$/],
  [{ MANAGEMENT_PORT: "a/b:1" }, /^MANAGEMENT_PORT must be a port from 0 to 65535, or HOST:PORT$/],
  [{ PUBLIC_PORT: "::1:3000" }, /^PUBLIC_PORT must be a port/],
  [
    { MANAGEMENT_HOST: "::" },
    /^MANAGEMENT_HOST is no longer a setting: write MANAGEMENT_PORT=HOST:PORT; unset it$/,
  ],
  [{ OFFER_MAIL_MINUTES: "0" }, /^OFFER_MAIL_MINUTES is no longer a setting: 10 minutes; unset it$/],
  [
    { OFFER_MAIL_DAILY_LIMIT: "0" },
    /^OFFER_MAIL_DAILY_LIMIT is no longer .*: 10 mails within 24 hours; unset it$/,
  ],
  [{ OFFER_WAVE_MINUTES: "5" }, /^OFFER_WAVE_MINUTES is no longer a setting: 30 minutes; unset it$/],
  [{ MANAGEMENT_PORT: "99999" }, /^MANAGEMENT_PORT must be a port from 0 to 65535, or HOST:PORT$/],
  [{ TRUST_PROXY: "yes" }, /^TRUST_PROXY must be a number of proxies, or their addresses/],
  [{ TRUST_PROXY: "10.0.0.0/33" }, /^TRUST_PROXY /],
  [{ TRUST_PROXY: "127.0.0.1, " }, /^TRUST_PROXY /],
  [{ RETAIN_JOBS_DAYS: "soon" }, /^RETAIN_JOBS_DAYS must be a whole number from 0 to 36500$/],
  [{ DATABASE_POOL: "1" }, /^DATABASE_POOL must be a whole number from 2 to 1000$/],
  [{ AUTO_MIGRATE: "no" }, /^AUTO_MIGRATE must be 0 or 1$/],
  [{ DIRECT_DATABASE_URL: URL }, /^DIRECT_DATABASE_URL needs DATABASE_URL beside it$/],
  ...["mail.example", "http://mail.example", "smtp://", "smtp:mail", "smtps://user:100%zz@mail.example"].map(
    (url): [Record<string, string>, RegExp] => [
      { SMTP_URL: url, SMTP_FROM: "a@b.example" },
      /^SMTP_URL must be smtp:\/\/[^\n]*$/,
    ],
  ),
  ...[
    "no-address",
    "a@b, c@d",
    "a@b\r\nBcc: c@d",
    "<a@b.example>",
    "   <a@b.example>",
    "Shifts <no-address>",
    "Shifts <a@b.example",
    "Shifts <a@b.example>, <c@d.example>",
    "Shifts\r\nBcc: c@d.example <a@b.example>",
    "Shifts\nBcc <a@b.example>",
    "Shifts <a@b.example>\n",
    "boss@c.example <a@b.example>",
    '"Shifts <a@b.example>',
    '"Shifts" of "Acme" <a@b.example>',
    '"Shifts\\" <a@b.example>',
    `${"x".repeat(61)} <a@b.example>`,
  ].map((from): [Record<string, string>, RegExp] => [
    { SMTP_URL: "smtp://mail.example", SMTP_FROM: from },
    /^SMTP_FROM must be an address, or NAME <ADDRESS> with a name of [^\n]*$/,
  ]),
  ...["SMTP_REPLY_TO", "ALERT_EMAIL"].map((name): [Record<string, string>, RegExp] => [
    { SMTP_URL: "smtp://mail.example", SMTP_FROM: "a@b.example", [name]: "Shifts <shifts@example.com>" },
    RegExp(`^${name} must be a bare address, such as shifts@example.com$`),
  ]),
  [
    { SMTP_FROM_NAME: "A company" },
    /^SMTP_FROM_NAME is no longer a setting: write SMTP_FROM=NAME <ADDRESS>; unset it$/,
  ],
  [
    { SMTP_URL: "smtp://mail.example" },
    /^SMTP_FROM is required with SMTP_URL: give the address of the sender$/,
  ],
  [{ DRAIN_SECONDS: "1.5" }, /^DRAIN_SECONDS must be a whole number from 0 to 300$/],
  [
    { NOTIFICATION_WEBHOOK_URL: "https://messages.example" },
    /^NOTIFICATION_WEBHOOK_SECRETS is required with NOTIFICATION_WEBHOOK_URL: echo /,
  ],
  ...["http://messages.example", "https://192.168.0.1/", "https://user:pass@messages.example"].map(
    (url): [Record<string, string>, RegExp] => [
      { NOTIFICATION_WEBHOOK_URL: url, NOTIFICATION_WEBHOOK_SECRETS: SIGNING },
      /^NOTIFICATION_WEBHOOK_URL is not usable: [^\n]*$/,
    ],
  ),
  ...[
    "whsec_",
    `whsec_${"A".repeat(31)}=`,
    `whsec_${"A".repeat(88)}`,
    `whsec_${"A".repeat(31)}-`,
    "A".repeat(40),
  ].map((secret): [Record<string, string>, RegExp] => [
    {
      NOTIFICATION_WEBHOOK_URL: "https://messages.example",
      NOTIFICATION_WEBHOOK_SECRETS: `${SIGNING},${secret}`,
    },
    /^NOTIFICATION_WEBHOOK_SECRETS must be whsec_ and 24 to 64 bytes in base64, separated by commas$/,
  ]),
  [{ DATABASE_URL: "" }, /^DATABASE_URL is empty: unset it for the embedded database/],
  [{ DATABASE_URL_FILE: "" }, /^DATABASE_URL_FILE is empty: unset it, or give the path of a file$/],
  [{ SECRET_KEY_FILE: "", SECRET_KEY: KEY }, /^SECRET_KEY_FILE is empty/],
  [{ DIRECT_DATABASE_URL: "" }, /^DIRECT_DATABASE_URL is empty: unset it, or give the URL of a PostgreSQL$/],
  [{ SHIFTPACT_DATA: "" }, /^SHIFTPACT_DATA is empty: unset it, or give the path of a folder$/],
  [{ SMTP_URL: "" }, /^SMTP_URL is empty: unset it, or give the URL of a mail server$/],
  [{ DATABSE_URL: URL }, /^DATABSE_URL is not a setting of the platform; did you mean DATABASE_URL\?$/],
  // DATABASE_URL is as close as a misspelling may be, but not the closest.
  [{ DATABASE_POL: "3" }, /^DATABASE_POL is not a setting .* DATABASE_POOL\?$/],
  [{ OPERATION_TOKEN: TOKEN }, /^OPERATION_TOKEN is not a setting .* OPERATIONS_TOKEN\?$/],
  [{ PORT: "65536" }, /^PORT /],
  [{ PORT: "80.5" }, /^PORT /],
  [{ PORT: "0x50" }, /^PORT /],
  [{ PORT: " 80" }, /^PORT /],
  [{ WEBHOOK_RATE_LIMIT: "many" }, /^WEBHOOK_RATE_LIMIT must be a whole number/],
  [{ WEBHOOK_RATE_LIMIT: "1e9" }, /^WEBHOOK_RATE_LIMIT /],
  [{ ALLOW_INSECURE_PROVIDERS: "true" }, /^ALLOW_INSECURE_PROVIDERS must be 0 or 1$/],
  [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent$/],
  [{ OPERATIONS_TOKEN: "x".repeat(21) }, /^OPERATIONS_TOKEN must be at least 22 printable characters/],
  [{ OPERATIONS_TOKEN: "with a space in between" }, /^OPERATIONS_TOKEN /],
  [
    { SECRET_KEY: "short" },
    /^SECRET_KEY must be 32 bytes in base64, or several such keys separated by commas$/,
  ],
  [{ SECRET_KEY: `${KEY},` }, /^SECRET_KEY /],
  [
    { SHIFTPACT_URL: "http://127.0.0.1:1" },
    /^SHIFTPACT_URL is no longer a setting: name the platform with --url;/,
  ],
  [{ SECRET_KEYS: KEY }, /^SECRET_KEYS is no longer a setting: SECRET_KEY takes several keys/],
  [{ SECRET_KEYS_FILE: "/keys" }, /^SECRET_KEYS_FILE is not a setting .* SECRET_KEY_FILE\?$/],
  [{ SECRET_KEY: Buffer.alloc(31).toString("base64") }, /^SECRET_KEY /],
  [{ SECRET_KEY: Buffer.alloc(33).toString("base64") }, /^SECRET_KEY /],
  [{ SECRET_KEY: `${KEY.slice(0, 20)} \n!!${KEY.slice(20)}` }, /^SECRET_KEY /],
  [{ SECRET_KEY: "00".repeat(32) }, /^SECRET_KEY /],
  [
    { DATABASE_URL: "mysql://localhost/x", OPERATIONS_TOKEN: TOKEN, SECRET_KEY: KEY },
    /^DATABASE_URL must start with/,
  ],
  [
    { DATABASE_URL: URL, SECRET_KEY: KEY },
    /^OPERATIONS_TOKEN is required with DATABASE_URL: openssl rand -base64 24 makes one$/,
  ],
  [{ DATABASE_URL: URL, OPERATIONS_TOKEN: TOKEN }, /^SECRET_KEY is required with DATABASE_URL/],
];

describe("the configuration", () => {
  it.each(WRONG)("%j is reported in one clear line that does not repeat the value", (env, line) => {
    const faults = faultsOf(env);
    expect(faults).toEqual([expect.stringMatching(line)]);
    for (const value of Object.values(env)) if (value.length > 8) expect(faults[0]).not.toContain(value);
    expect(existsSync(join(folder, "secret-key"))).toBe(false);
  });

  it("reports every fault at once", () => {
    const faults = faultsOf({
      PORT: "x",
      WEBHOOK_RATE_LIMIT: "x",
      ALLOW_INSECURE_PROVIDERS: "x",
      LOG_LEVEL: "x",
      DATABASE_URL: "x",
      OPERATIONS_TOKEN: "x",
      SECRET_KEY: "x",
    });
    expect(faults).toHaveLength(7);
    expect(new Set(faults.map((fault) => fault.split(" ")[0])).size).toBe(7);
  });

  it("has a default for everything but the secrets of a shared database", () => {
    expect(readConfig({ SHIFTPACT_DATA: folder })).toMatchObject({
      host: "127.0.0.1",
      port: 3000,
      databaseUrl: undefined,
      dataDir: folder,
      allowInsecureProviders: false,
      webhookRateLimit: 6_000,
      logLevel: "info",
      offerMail: { everyMs: 600_000, perDay: 10 },
      offerWaves: { size: 0, pauseMs: 1_800_000 },
      retention: { events: 30, traces: 30, jobs: 730, notifications: 365, issues: 365 },
    });
    const shared = { DATABASE_URL: URL, OPERATIONS_TOKEN: TOKEN, SECRET_KEY: KEY };
    const dataDir = join(folder, "not-needed");
    expect(readConfig(shared, { dataDir })).toMatchObject({ databaseUrl: URL, operationsToken: TOKEN });
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([
    ["3001", { host: "127.0.0.2", port: 3_001 }],
    ["0.0.0.0:3001", { host: "0.0.0.0", port: 3_001 }],
    ["[::1]:0", { host: "::1", port: 0 }],
    ["internal.example:3001", { host: "internal.example", port: 3_001 }],
  ])("has a second and a public listener at %s", (place, read) => {
    const env = { SHIFTPACT_DATA: folder, MANAGEMENT_PORT: place, PUBLIC_PORT: place };
    const others = { management: read, publicPlace: read };
    expect(readConfig({ ...env, PORT: "127.0.0.2:80" })).toMatchObject(others);
    expect(readConfig(env, { host: "127.0.0.2" })).toMatchObject(others);
  });

  it.each([
    ["81", {}, { host: "127.0.0.1", port: 81 }],
    ["[::1]:81", {}, { host: "::1", port: 81 }],
    ["[::1]:81", { port: 0 }, { host: "::1", port: 0 }],
    ["[::1]:81", { host: "0.0.0.0" }, { host: "0.0.0.0", port: 81 }],
    ["", { host: "0.0.0.0" }, { host: "0.0.0.0", port: 3_000 }],
  ])("listens at PORT=%s with the flags %o at %o", (PORT, flags, place) => {
    expect(readConfig({ SHIFTPACT_DATA: folder, PORT }, flags)).toMatchObject(place);
  });

  it("alerts of urgent issues, by mail with a mail server", () => {
    expect(readConfig({ SHIFTPACT_DATA: folder }).alerts).toEqual({ severity: "urgent" });
    const mail = { SMTP_URL: "smtp://mail.example", SMTP_FROM: "a@b.example", ALERT_EMAIL: "ops@b.example" };
    const env = { SHIFTPACT_DATA: folder, ...mail };
    expect(readConfig(env).alerts).toEqual({ severity: "urgent", email: "ops@b.example" });
  });

  it.each([
    "smtp://mail.example:587",
    "smtps://mail.example",
    "smtps://user:p%40ss@mail.example:465",
    "smtp://[::1]:25",
  ])("accepts SMTP_URL=%s", (url) => {
    const from = "shifts@example.com";
    expect(readConfig({ SHIFTPACT_DATA: folder, SMTP_URL: url, SMTP_FROM: from }).mail).toEqual({
      url,
      from,
    });
  });

  it.each([
    ["Kvarteret  <shifts@example.com>", "Kvarteret"],
    ['"Shifts, Inc." <shifts@example.com>', "Shifts, Inc."],
    ["Å & Söner, Ltd <shifts@example.com>", "Å & Söner, Ltd"],
  ])("reads the company's name in SMTP_FROM=%s", (text, fromName) => {
    const url = "smtp://mail.example";
    const { mail } = readConfig({ SHIFTPACT_DATA: folder, SMTP_URL: url, SMTP_FROM: text });
    expect(mail).toEqual({ url, from: "shifts@example.com", fromName });
  });

  it("has secrets for the webhook, the first one first", () => {
    const [one, other] = [Buffer.alloc(24, 1), Buffer.alloc(64, 2)];
    const secrets = [one, other].map((bytes) => `whsec_${bytes.toString("base64")}`).join(", ");
    const url = "http://127.0.0.1:9000/hook";
    const env = { SHIFTPACT_DATA: folder, ALLOW_INSECURE_PROVIDERS: "1", NOTIFICATION_WEBHOOK_URL: url };
    expect(readConfig({ ...env, NOTIFICATION_WEBHOOK_SECRETS: secrets }).webhook).toEqual({
      url,
      secrets: [one, other],
    });
  });

  it("sends no mail without SMTP_URL, whatever SMTP_FROM is", () => {
    expect(readConfig({ SHIFTPACT_DATA: folder, SMTP_FROM: "no-address" })).not.toHaveProperty("mail");
  });

  it("treats an empty value as unset, and prefers flags to the environment", () => {
    const config = readConfig({ PORT: "", LOG_LEVEL: "" }, { dataDir: folder });
    expect(config).toMatchObject({ port: 3000, logLevel: "info", databaseUrl: undefined });
    const flags = { port: 0, dataDir: folder };
    expect(readConfig({ PORT: "81", SHIFTPACT_DATA: "/nowhere" }, flags)).toMatchObject(flags);
  });

  it.each(SECRETS)("reads %s from the file that its _FILE names, without the last line break", (name) => {
    const env: Record<string, string> = {
      DATABASE_URL: URL,
      DIRECT_DATABASE_URL: `${URL}-direct`,
      OPERATIONS_TOKEN: TOKEN,
      SMTP_URL: "smtp://mail.example",
      SMTP_FROM: "a@b.example",
      NOTIFICATION_WEBHOOK_URL: "https://messages.example",
      NOTIFICATION_WEBHOOK_SECRETS: SIGNING,
      SECRET_KEY: `${KEY},${KEY}`,
    };
    const plain = readConfig(env);
    const { [name]: value = "", ...rest } = env;
    const path = join(folder, "secret");
    writeFileSync(path, `${value}\n`);
    expect(readConfig({ ...rest, [`${name}_FILE`]: path })).toEqual(plain);
    expect(faultsOf({ ...env, [`${name}_FILE`]: path })).toEqual([
      `${name} and ${name}_FILE are both set: keep one of them`,
    ]);
    const absent = join(folder, "absent");
    expect(faultsOf({ ...rest, [`${name}_FILE`]: absent })).toEqual([
      `${name}_FILE cannot be read: ENOENT at ${absent}`,
    ]);
    writeFileSync(path, "\n");
    expect(faultsOf({ ...rest, [`${name}_FILE`]: path })).toEqual([
      `${name}_FILE names an empty file: ${path}`,
    ]);
  });

  it("accepts several keys in SECRET_KEY or in the data folder, of which the first one seals", () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const list = [first, second].map((key) => key.toString("base64")).join(" , ");
    const read = { secretKey: first, olderSecretKeys: [second] };
    expect(readConfig({ SECRET_KEY: list, SHIFTPACT_DATA: folder })).toMatchObject(read);
    writeFileSync(join(folder, "secret-key"), `${list}\n`);
    expect(readConfig({ SHIFTPACT_DATA: folder })).toMatchObject(read);
  });

  it("accepts SECRET_KEY in both forms of base64", () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const text of [bytes.toString("base64"), bytes.toString("base64url")]) {
      const { secretKey } = readConfig({ SECRET_KEY: text, SHIFTPACT_DATA: folder });
      expect(secretKey.equals(bytes)).toBe(true);
    }
  });

  it("creates the secrets once and keeps them, readable by the owner only", () => {
    const dataDir = join(folder, "new", "data");
    const first = readConfig({ SHIFTPACT_DATA: dataDir });
    expect(first.operationsToken).toMatch(/^[\w-]{32}$/);
    expect(first.secretKey.byteLength).toBe(32);
    const again = readConfig({ SHIFTPACT_DATA: dataDir });
    expect([again.operationsToken, again.secretKey]).toEqual([first.operationsToken, first.secretKey]);
    for (const name of ["operations-token", "secret-key"]) {
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const other = readConfig({ SHIFTPACT_DATA: join(folder, "other") });
    expect(other.operationsToken).not.toBe(first.operationsToken);
    expect(other.secretKey.equals(first.secretKey)).toBe(false);
  });

  it("writes a secret through to the disk before it has its name, and the names after it", () => {
    const dataDir = join(folder, "new", "data");
    const synced: [path: string, names: string[]][] = [];
    readConfig({ SHIFTPACT_DATA: dataDir }, {}, (path) => synced.push([path, readdirSync(dataDir)]));
    const names = ["operations-token", "secret-key"];
    for (const name of names) {
      const draft = synced.findIndex(([path]) => path.startsWith(join(dataDir, name)));
      expect(synced[draft]?.[1]).not.toContain(name);
      expect(synced.slice(draft)).toContainEqual([dataDir, expect.arrayContaining([name])]);
    }
    const folders = [dataDir, join(folder, "new"), folder];
    expect(synced.map(([path]) => path)).toEqual(expect.arrayContaining(folders));
    expect(readdirSync(dataDir).sort()).toEqual(names);
  });

  it("starts where an earlier start was killed before a secret had its name", () => {
    writeFileSync(join(folder, "secret-key.1.draft"), "");
    const { secretKey } = readConfig({ SHIFTPACT_DATA: folder });
    expect(readConfig({ SHIFTPACT_DATA: folder }).secretKey).toEqual(secretKey);
  });

  it("prefers the environment to stored secrets, and leaves those unchanged", () => {
    const kept = readConfig({ SHIFTPACT_DATA: folder });
    const given = readConfig({ SHIFTPACT_DATA: folder, OPERATIONS_TOKEN: TOKEN, SECRET_KEY: KEY });
    expect([given.operationsToken, given.secretKey.toString("base64")]).toEqual([TOKEN, KEY]);
    expect(readFileSync(join(folder, "operations-token"), "utf8").trim()).toBe(kept.operationsToken);
  });

  it.each([
    ["operations-token", ""],
    ["operations-token", "short\n"],
    ["secret-key", ""],
    ["secret-key", "half of a k"],
  ])("refuses a kept %s that holds %j, and names the file", (name, content) => {
    readConfig({ SHIFTPACT_DATA: folder });
    writeFileSync(join(folder, name), content);
    const faults = faultsOf({});
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(join(folder, name));
    expect(readFileSync(join(folder, name), "utf8")).toBe(content);
  });

  it("refuses a data folder that cannot be one in one clear line", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(faultsOf({ SHIFTPACT_DATA: file })).toEqual([expect.stringContaining(`the data folder ${file}`)]);
    expect(faultsOf({ SHIFTPACT_DATA: join(file, "below") })).toEqual([
      expect.stringContaining("the data folder"),
    ]);
    const blocked = join(folder, "blocked");
    mkdirSync(join(blocked, "secret-key"), { recursive: true });
    chmodSync(blocked, 0o700);
    expect(faultsOf({ SHIFTPACT_DATA: blocked })).toEqual([expect.stringContaining("secret-key")]);
  });
});
