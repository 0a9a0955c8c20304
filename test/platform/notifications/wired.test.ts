import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { configFor } from "../../harness/platform.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const operationsToken = "operations-token-of-the-test";

async function start() {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const server = await startMailServer();
  onTestFinished(server.close);
  const config = {
    ...configFor(where),
    operationsToken,
    mail: { url: server.url, from: "shifts@platform.example" },
  };
  const platform = await startPlatform(config, { log: silent });
  onTestFinished(() => platform.close());
  const provider = await startSandbox();
  onTestFinished(provider.close);
  const headers = { Authorization: `Bearer ${operationsToken}` };
  return {
    server,
    platform,
    provider,
    operations: createClient({ baseUrl: `${platform.url}/operations/v1`, headers }),
  };
}

it("a platform with SMTP_URL sends its notifications by email", async () => {
  const { server, platform, provider, operations } = await start();
  const { providerId, url: baseUrl, token: providerToken } = provider;
  const body = { providerId, kind: "sandbox", name: "Kvarteret", baseUrl, providerToken };
  const { data: registered } = await operations.createIntegration({ body });
  const { data: workplace } = await operations.createWorkplace({ body: { name: "Torget" } });
  const { data: competence } = await operations.createCompetence({ body: { name: "Diskare" } });
  const { platformToken = "" } = registered ?? {};
  const { workplaceId = "" } = workplace ?? {};
  const { competenceId = "" } = competence ?? {};
  const params = { path: { providerId } };
  await operations.discoverIntegration({ params });
  const outlets = provider.outlets.map(({ id }) => ({ outletId: id, workplaceId }));
  const roles = provider.roles.map(({ id }) => ({ roleId: id, competenceId }));
  await operations.updateMappings({ params, body: { outlets, roles } });
  await operations.activateIntegration({ params });
  const personalNumber = published.personnummer[70] ?? "";
  const identity = { firstName: "Robin", lastName: "Ek", email: "robin@example.com", phone: "+46701740605" };
  await operations.createCandidate({ body: { personalNumber, ...identity, competenceIds: [competenceId] } });
  provider.connectPlatform({ url: platform.url, token: platformToken });
  provider.createShift();
  const expected = [{ to: ["robin@example.com"], from: "shifts@platform.example" }];
  await expect.poll(() => server.mails).toMatchObject(expected);
  await platform.idle();
  expect(server.mails).toHaveLength(1);
});
