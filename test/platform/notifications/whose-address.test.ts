import { afterEach, expect, it } from "vitest";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import { startHarness } from "../../harness/platform.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

for (const engine of featureEngines) {
  const database = useEngine(engine);

  it(`mail about a shift goes to the address that its organisation's registry gives, on ${engine}`, async () => {
    const server = await startMailServer();
    const channel = createEmailChannel({ url: server.url, from: "shifts@platform.example" });
    undo.push(server.close, () => channel.close());
    const harness = await startHarness(database(), { channel });
    undo.push(harness.close);
    const organisations = [await harness.onboard(), await harness.onboard()];
    for (const { operations, params, providerId } of organisations) {
      ok(await operations.importRegistry({ params }));
      await database()
        .kysely.updateTable("memberships")
        .set({ email: `${providerId}@example.com` })
        .where("providerId", "=", providerId)
        .execute();
    }
    const [{ operations } = harness] = organisations;
    const [person] = ok(await operations.listCandidates({ params: { query: {} } })).items;
    const path = { candidateId: person?.candidateId ?? "" };
    const competenceIds = organisations.map(({ competenceId }) => competenceId);
    ok(await operations.changeCandidate({ params: { path }, body: { competenceIds } }));
    const [one, other] = organisations;
    if (!one || !other) throw new Error("there are two organisations");
    const addresses = () => [...new Set(server.mails.flatMap(({ to }) => to))];
    await one.open();
    await expect.poll(addresses).toEqual([`${one.providerId}@example.com`]);
    // Mail about bookings does not wait for the window of offers.
    const job = await other.open();
    await other.accept(job, path);
    await expect.poll(addresses).toContain(`${other.providerId}@example.com`);
    ok(await operations.changeCandidate({ params: { path }, body: { email: "own@example.com" } }));
    await other.withdraw(job, path);
    await expect.poll(addresses).toContain("own@example.com");
  });
}
