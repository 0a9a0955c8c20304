import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Config } from "../../../src/platform/config.ts";
import { checkSecretKeys, createVault, reseal } from "../../../src/platform/integrations/vault.ts";
import { createLog } from "../../../src/platform/log.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { engines, silent, type TestDatabase, useEngine } from "../../harness/engines.ts";
import { configFor, SECRET_KEY } from "../../harness/platform.ts";
import { startWithTenants } from "../../harness/tenants.ts";

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const neverStops = new AbortController().signal;

describe.each(engines)("re-encryption, on %s", (engine) => {
  const database = useEngine(engine);

  const tokens = async () => {
    const rows = await database().kysely.selectFrom("integrations").select("providerToken").execute();
    return rows.map(({ providerToken }) => providerToken);
  };

  it("seals everything with the first key, so that the older one can be removed", async () => {
    const older = createVault(OLD);
    await addIntegrations(database(), 450, (nth) => older.seal(`token-${nth}`));
    await addHired(database(), older.seal("hire"));
    await expect(checkSecretKeys(database().raw.executeSql, createVault(NEW))).rejects.toThrow(
      `sealed with key ${older.keyId}, but SECRET_KEY is key`,
    );
    const both = createVault(NEW, [OLD]);
    await checkSecretKeys(database().raw.executeSql, both);
    await reseal({ database: database(), vault: both, log: silent }, neverStops);
    const alone = createVault(NEW);
    await checkSecretKeys(database().raw.executeSql, alone);
    expect(new Set((await tokens()).map(alone.open))).toEqual(
      new Set(Array.from({ length: 450 }, (_, nth) => `token-${nth}`)),
    );
    const hired = await database().kysely.selectFrom("candidates").select("hire").executeTakeFirstOrThrow();
    expect(alone.open(hired.hire ?? "")).toBe("hire");
  });

  it("leaves values that are sealed with the first key, and damaged ones, unchanged", async () => {
    const both = createVault(NEW, [OLD]);
    const damaged = `${createVault(OLD).keyId}.AAAA.BBBB.CCCC`;
    const values = [both.seal("a"), damaged, "not sealed"];
    await addIntegrations(database(), 3, (nth) => values[nth] ?? "");
    await reseal({ database: database(), vault: both, log: silent }, neverStops);
    expect((await tokens()).toSorted()).toEqual(values.toSorted());
  });

  it("knows every column that holds sealed text", async () => {
    // A new one has to be added to SEALED of reseal.ts, and here.
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'shiftpact' and column_name ~ '(provider_token|hire|sealed)$' order by 1`.execute(
      database().kysely,
    );
    expect(rows.map(({ name }) => name)).toEqual(SEALED_COLUMNS);
  });
});

describe("a platform whose SECRET_KEY changes", () => {
  it("seals everything with the new key, logs when the older one can be removed, and then starts without it", async () => {
    const first = await startWithTenants("postgres");
    onTestFinished(first.close);
    await first.platform.close();
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const startWith = (keys: Pick<Config, "secretKey" | "olderSecretKeys">) =>
      startPlatform({ ...configFor(first.location), ...keys }, { log });
    await expect(startWith({ secretKey: NEW })).rejects.toThrow("add the missing key after it");

    const both = await startWith({ secretKey: NEW, olderSecretKeys: [SECRET_KEY] });
    await expect
      .poll(() => lines.join("\n"))
      .toContain("everything is sealed with the first key of SECRET_KEY");
    await both.close();

    const alone = await startWith({ secretKey: NEW });
    onTestFinished(() => alone.close());
    expect((await fetch(`${alone.url}/health/ready`)).status).toBe(200);
  });
});

const SEALED_COLUMNS = [
  "candidates.hire",
  "candidates.personal_number_sealed",
  "integrations.provider_token",
  "sealed_keys.sealed",
];

async function addIntegrations({ kysely }: TestDatabase, count: number, seal: (nth: number) => string) {
  const rows = Array.from({ length: count }, (_, nth) => ({
    providerId: `5b0a4c1e-8f5d-4c55-9d4e-${String(nth).padStart(12, "0")}`,
    kind: "k",
    name: "n",
    baseUrl: "https://p.example",
    providerToken: seal(nth),
  }));
  await kysely.insertInto("integrations").values(rows).execute();
}

async function addHired({ raw }: TestDatabase, hire: string) {
  await raw.executeSql(`insert into shiftpact.candidates (candidate_id, first_name, last_name, email, phone, hire)
    values ('5b0a4c1e-8f5d-4c55-9d4e-000000000001', '', '', '', '', '${hire}')`);
}

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

describe("the vault", () => {
  const vault = createVault(KEY);

  it("opens what it sealed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(createVault(KEY).open(vault.seal(text))).toBe(text);
      }),
    );
  });

  it("seals one text differently each time, and shows nothing of it", () => {
    const [one, other] = [vault.seal("provider-token"), vault.seal("provider-token")];
    expect(one).not.toBe(other);
    expect(one).not.toContain("provider-token");
    expect(one).not.toContain(Buffer.from("provider-token").toString("base64url"));
  });

  it("distinguishes a replaced key from changed data", () => {
    const sealed = vault.seal("provider-token");
    expect(() => createVault(OTHER_KEY).open(sealed)).toThrow(
      /sealed with key \w{8}, but SECRET_KEY is key \w{8}/,
    );
    expect(() => createVault(OTHER_KEY).open(sealed)).not.toThrow(KEY.toString("hex"));
  });

  it("rejects every change of what it sealed", () => {
    const [keyId, iv, tag, text] = vault.seal("provider-token").split(".") as [
      string,
      string,
      string,
      string,
    ];
    const flipped = (part: string) => (part.startsWith("A") ? "B" : "A") + part.slice(1);
    const changed = [
      [keyId, flipped(iv), tag, text],
      [keyId, iv, flipped(tag), text],
      [keyId, iv, tag, flipped(text)],
      [keyId, iv, tag, ""],
      [keyId, iv, "", text],
      [keyId, "", tag, text],
      [keyId],
      ["", iv, tag, text],
    ];
    for (const parts of changed) expect(() => vault.open(parts.join("."))).toThrow();
    expect(() => vault.open("")).toThrow();
  });

  it("rejects a shortened tag: four bytes of it could be guessed", () => {
    const [keyId, iv, tag, text] = vault.seal("provider-token").split(".") as [
      string,
      string,
      string,
      string,
    ];
    for (const bytes of [4, 8, 12, 15]) {
      const short = Buffer.from(tag, "base64url").subarray(0, bytes).toString("base64url");
      expect(() => vault.open([keyId, iv, short, text].join("."))).toThrow();
    }
  });

  it.each([0, 16, 31, 33])("needs a key of 32 bytes, not %d", (bytes) => {
    expect(() => createVault(Buffer.alloc(bytes))).toThrow("SECRET_KEY must be 32 bytes");
  });
});
