import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

describe.each(featureEngines)("what lists show of providers, on %s", (engine) => {
  const harness = useHarness(engine);

  const healthOf = async (wanted: string) => {
    const { items } = ok(
      await harness().operations.listProviderHealth({ params: { query: { limit: 200 } } }),
    );
    return items.find(({ providerId }) => providerId === wanted);
  };

  it("has the last webhook, the backlog, and the open issues of each provider", async () => {
    const started = Date.now();
    const busy = await harness().onboard();
    const draft = await harness().onboard({ activate: false });
    await busy.open();
    await draft.send("shift.update", "shift-of-a-draft");
    const shown = await healthOf(busy.providerId);
    expect(shown).toMatchObject({
      state: "active",
      health: { code: "reachable" },
      openIssues: 0,
      backlog: { waiting: { interactive: 0, events: 0, background: 0 }, oldestAt: null },
    });
    expect(Date.parse(shown?.lastWebhookAt ?? "")).toBeGreaterThan(started - MINUTE_MS);
    expect(shown).not.toHaveProperty("oldestPendingBookingAt");
    // Counts are some seconds old.
    const waiting = () => healthOf(draft.providerId).then((draft) => draft?.backlog.waiting.events);
    await expect.poll(waiting).toBe(1);
    expect(await healthOf(draft.providerId)).toMatchObject({
      state: "draft",
      backlog: { limit: { code: "draft" } },
    });
  });

  it("has the oldest booking that waits for the provider", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", { operations: ["assignCandidate"] });
    const accepting = organisation.accept(job, person);
    await expect
      .poll(async () => (await healthOf(organisation.providerId))?.oldestPendingBookingAt)
      .toBeDefined();
    organisation.provider.clearFaults();
    await accepting;
    expect(await healthOf(organisation.providerId)).not.toHaveProperty("oldestPendingBookingAt");
  });

  it("has the outlets and roles that are mapped to a workplace and a competence", async () => {
    const { operations } = harness();
    const { provider, providerId, workplaceId, competenceId } = await harness().onboard();
    const workplaces = ok(await operations.listWorkplaces({ params: { query: { limit: 200 } } })).items;
    const workplace = workplaces.find((each) => each.workplaceId === workplaceId);
    const outlets = provider.outlets.map(({ id, name }) => ({ providerId, outletId: id, name }));
    expect(workplace?.outletCount).toBe(outlets.length);
    expect(workplace?.outlets).toEqual(outlets.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    const path = { competenceId };
    const renamed = ok(await operations.changeCompetence({ params: { path }, body: { name: "Waiter" } }));
    expect(renamed).toMatchObject({ name: "Waiter", roleCount: provider.roles.length });
    expect(renamed.roles.map(({ roleId }) => roleId).sort()).toEqual(
      provider.roles.map(({ id }) => id).sort(),
    );
  });

  it("has the integrations of a name and a state, and the jobs of a trace", async () => {
    const { operations } = harness();
    const organisation = await harness().onboard({ activate: false });
    const { providerId } = organisation;
    const body = { name: "Ödåkra Wärdshus" };
    ok(await operations.changeIntegration({ params: { path: { providerId } }, body }));
    const found = async (query: { search?: string; state?: "draft" | "active" }) =>
      ok(await operations.listIntegrations({ params: { query: { ...query, limit: 200 } } })).items;
    expect((await found({ search: "åKRA w" })).map(({ name }) => name)).toEqual([body.name]);
    expect((await found({ state: "draft" })).map((each) => each.providerId)).toContain(providerId);
    expect((await found({ state: "active" })).map((each) => each.providerId)).not.toContain(providerId);
    await organisation.activate();
    const job = await organisation.open();
    const [event] = await organisation.events({ shiftId: job.shiftId });
    const query = { traceId: event?.traceId ?? "" };
    const jobs = ok(await operations.listJobs({ params: { query } })).items;
    expect(jobs.map(({ jobId }) => jobId)).toEqual([job.jobId]);
    expect(ok(await operations.listJobs({ params: { query: { traceId: "unknown" } } })).items).toEqual([]);
  });
});
