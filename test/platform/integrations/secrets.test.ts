import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IntegrationCreated } from "../../../generated/operations/types.ts";
import { hashToken } from "../../../src/platform/access/tokens.ts";
import type { Database } from "../../../src/platform/db/database.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { expectBody } from "../../harness/draft.ts";
import { featureEngines } from "../../harness/engines.ts";
import { OPERATIONS_TOKEN, SECRET_KEY, withDatabase } from "../../harness/platform.ts";
import { shiftEvent, startWithTenants, type TenantHarness } from "../../harness/tenants.ts";
import { bodies } from "../../harness/valid-requests.ts";

const PROVIDER_TOKEN = "provider-token-that-must-stay-secret";
const HIRE = {
  address: "Hemligatan 1",
  postCode: "11122",
  city: "Stockholm",
  countryCode: "se",
  emergencyContact: { name: "Bo Strand", phone: "+46701740606", relationship: "brother" },
  bankDetails: { clearingNumber: "8327-clearing-number", accountNumber: "9876543210" },
  documents: { citizenship: "SE", workPermitRequired: false, workPermitExpiry: null, passportVerified: true },
};

/** Every row of every table, as JSON. */
async function dump({ raw }: Database): Promise<string> {
  const { rows: tables } = await raw.executeSql(
    "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname = 'shiftpact'",
  );
  const dumps: string[] = [];
  for (const { name } of tables) {
    const { rows } = await raw.executeSql(`select '${name} ' || row_to_json(t)::text as row from ${name} t`);
    dumps.push(...rows.map(({ row }) => row));
  }
  return dumps.join("\n");
}

describe.each(featureEngines)("secrets, on %s", (engine) => {
  let harness: TenantHarness;
  let created: IntegrationCreated;
  let shown: string;
  let stored: string;
  let sealed: { token: string; hire: string };

  beforeAll(async () => {
    harness = await startWithTenants(engine);
    const order = { ...bodies.createIntegration?.(), providerToken: PROVIDER_TOKEN };
    created = await expectBody<IntegrationCreated>(harness, "POST", "/integrations", order);
    await expectBody(harness, "POST", "/candidates", { ...bodies.createCandidate?.(), hire: HIRE });
    const authorization = `Bearer ${created.platformToken}`;
    const body = { ...shiftEvent(created.providerId), secret: PROVIDER_TOKEN };
    const sent = await harness.send("/webhooks/scheduling-provider", { method: "POST", authorization, body });
    expect(sent.status).toBe(200);
    const lists = ["/integrations", `/integrations/${created.providerId}`, "/candidates", "/events"];
    shown = (await Promise.all(lists.map((path) => harness.operate("GET", path))))
      .map(({ text }) => text)
      .join();
    await harness.platform.close();
    await withDatabase(harness.location, async (database) => {
      stored = await dump(database);
      const { kysely } = database;
      const integration = kysely.selectFrom("integrations").select("providerToken");
      const { providerToken } = await integration
        .where("providerId", "=", created.providerId)
        .executeTakeFirstOrThrow();
      const { hire } = await kysely.selectFrom("candidates").select("hire").executeTakeFirstOrThrow();
      sealed = { token: providerToken, hire: hire ?? "" };
    });
  });
  afterAll(() => harness.close());

  it("are nowhere in the database in clear", () => {
    expect(stored).toContain(created.providerId);
    const secrets = [created.platformToken, PROVIDER_TOKEN, OPERATIONS_TOKEN, SECRET_KEY.toString("base64")];
    for (const secret of [...secrets, "9876543210", "8327-clearing-number", "Hemligatan", "Bo Strand"]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString("base64").replace(/=+$/, ""));
      expect(stored).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });

  it("are kept as a hash, or sealed under SECRET_KEY", () => {
    expect(stored).toContain(hashToken(created.platformToken));
    const vault = createVault(SECRET_KEY);
    expect(vault.open(sealed.token)).toBe(PROVIDER_TOKEN);
    expect(JSON.parse(vault.open(sealed.hire))).toEqual(HIRE);
  });

  it("are shown once", () => {
    expect(created.platformToken).toMatch(/^spp_[\w-]{43}$/);
    expect(shown).toContain(created.providerId);
    expect(shown).not.toMatch(/spp_|provider-token|9876543210|Hemligatan|[0-9]{8}-?9813/);
  });

  it("are generated for each organisation", async () => {
    const again = await startWithTenants("pglite");
    const order = () => ({ ...bodies.createIntegration?.(), providerId: randomUUID() });
    const one = await expectBody<IntegrationCreated>(again, "POST", "/integrations", order());
    const other = await expectBody<IntegrationCreated>(again, "POST", "/integrations", order());
    expect(one.platformToken).not.toBe(other.platformToken);
    await again.close();
  });
});
