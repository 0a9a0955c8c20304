import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Candidate } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import { numberAt } from "../../harness/responders.ts";

const OWN = { firstName: "Anna", lastName: "Ek", email: "anna@hospital.example", phone: "+46701740605" };
const MADE_UP = {
  firstName: "Mallory",
  lastName: "Rask",
  email: "mallory@hostile.example",
  phone: "+46701740699",
};

/** An organisation whose provider lies, beside one that does not. */
describe.each(featureEngines)("what the registry of another organisation asserts, on %s", (engine) => {
  const database = useEngine(engine);
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let harness: Harness;
  let hospital: Organisation;
  let hostile: Organisation;
  beforeEach(async () => {
    mail = await startMailServer();
    const channel = createEmailChannel({ url: mail.url, from: "shifts@platform.example" });
    const offerMail = { everyMs: HOUR_MS, perDay: 10 };
    harness = await startHarness(database(), { channel, config: { offerMail } });
    onTestFinished(() => channel.close());
    hospital = await harness.onboard();
    hostile = await harness.onboard();
    const { competenceId } = hospital;
    // As an operator would who believes the names of the roles.
    const roles = hostile.provider.roles.map(({ id: roleId }) => ({ roleId, competenceId }));
    ok(await harness.operations.updateMappings({ params: hostile.params, body: { outlets: [], roles } }));
  });
  afterEach(async () => {
    await harness.close();
    await mail.close();
  });

  type Registered = Pick<Organisation, "provider" | "params">;
  /** Puts a person into a registry, who has worked in a role. */
  const employ = ({ provider }: Registered, nth: number, person: object) => {
    const [role] = provider.roles;
    const workHistory = role ? [{ roleId: role.id }] : [];
    provider.addCandidate({ personalNumber: numberAt(nth), workHistory, ...person });
  };
  const name = async (organisation: Registered, nth: number, person: object) => {
    employ(organisation, nth, person);
    return ok(await harness.operations.importRegistry({ params: organisation.params }));
  };
  const search = async (text: string): Promise<Candidate[]> =>
    ok(await harness.operations.listCandidates({ params: { query: { search: text } } })).items;
  const find = async (text: string) => {
    const [found] = await search(text);
    if (!found) throw new Error(`there is no ${text}`);
    return found;
  };
  const shown = async ({ candidateId }: Pick<Candidate, "candidateId">) =>
    ok(await harness.operations.getCandidate({ params: { path: { candidateId } } }));
  const revealed = async ({ candidateId }: Pick<Candidate, "candidateId">) => {
    const body = { reason: "whose number is it" };
    return ok(await harness.operations.revealCandidate({ params: { path: { candidateId } }, body }));
  };

  it("is mailed no shift of this one, however many people it names", async () => {
    for (let nth = 300; nth < 309; nth += 1) employ(hostile, nth, MADE_UP);
    await name(hostile, 309, MADE_UP);
    await name(hospital, 310, OWN);
    const job = await hospital.open();
    await hospital.idle();
    expect(await hospital.notifications(job)).toHaveLength(1);
    expect(mail.mails.flatMap(({ to }) => to)).toEqual([OWN.email]);
  });

  it("gives a person whom this one names no other name and no other address here", async () => {
    await name(hostile, 320, MADE_UP);
    await name(hospital, 320, OWN);
    const person = await find("Anna Ek");
    expect(person.memberships).toMatchObject([
      {
        providerId: hostile.providerId,
        firstName: "Mallory",
        lastName: "Rask",
        email: "m***@hostile.example",
        phone: expect.stringMatching(/^\D+\d\d$/),
      },
      { providerId: hospital.providerId, firstName: "Anna", lastName: "Ek", email: "a***@hospital.example" },
    ]);
    expect(person.conflicts).toEqual(["name", "email", "phone"]);
    await hospital.open();
    await hospital.idle();
    expect(mail.mails.flatMap(({ to }) => to)).toEqual([OWN.email]);
    expect(JSON.stringify(mail.mails)).not.toContain("Mallory");
  });

  it("delays no mail of this one, whatever was sent to the address that it gives", async () => {
    await name(hostile, 325, MADE_UP);
    await name(hospital, 325, OWN);
    await hostile.open();
    await hostile.idle();
    await hospital.open();
    await hospital.idle();
    const sent = mail.mails.flatMap(({ to }) => to);
    expect(sent).toEqual([MADE_UP.email, OWN.email]);
  });

  it("makes a person busy here only once the company has vouched for them: a booking there proves nothing before", async () => {
    await name(hostile, 327, MADE_UP);
    await name(hospital, 327, OWN);
    const person = await find("Anna Ek");
    expect(await hostile.accept(await hostile.open(), person)).toMatchObject({ code: "confirmed" });
    const [first, second] = [await hospital.open(), await hospital.open()];
    await hospital.idle();
    expect(await hospital.notifications(first, "job_offered")).toHaveLength(1);
    expect(await hospital.accept(first, person)).toMatchObject({ code: "confirmed" });
    expect(await hospital.accept(second, person)).toMatchObject({ code: "booking_overlaps" });
    const params = { path: { candidateId: person.candidateId } };
    const body = { providerId: hospital.providerId };
    ok(await harness.operations.releaseCandidate({ params, body }));
    expect(await hostile.accept(await hostile.open(), person)).toMatchObject({ code: "booking_overlaps" });
  });

  it("makes no competence the company's, also when an operator corrects a phone number", async () => {
    const { candidateId } = await hospital.addPerson({ personalNumber: numberAt(330), competenceIds: [] });
    await name(hostile, 330, MADE_UP);
    const { competenceId } = hospital;
    expect(await shown({ candidateId })).toMatchObject({
      firstName: "Robin",
      competenceIds: [],
      memberships: [{ providerId: hostile.providerId, competenceIds: [competenceId] }],
    });
    const body = { phone: "+46701740611" };
    ok(await harness.operations.changeCandidate({ params: { path: { candidateId } }, body }));
    const job = await hospital.open();
    await hospital.idle();
    expect(await hospital.notifications(job)).toEqual([]);
    expect(await hospital.accept(job, { candidateId })).toMatchObject({ code: "competence_missing" });
  });

  it("is replaced by the competences that an operator saves, and asserted no more by the next import", async () => {
    await name(hostile, 335, MADE_UP);
    const { candidateId } = await find("Mallory Rask");
    const { competenceId } = ok(await harness.operations.createCompetence({ body: { name: "Cashier" } }));
    const body = { competenceIds: [competenceId] };
    ok(await harness.operations.changeCandidate({ params: { path: { candidateId } }, body }));
    ok(await harness.operations.importRegistry({ params: hostile.params }));
    expect(await shown({ candidateId })).toMatchObject({ ...body, memberships: [{ competenceIds: [] }] });
  });

  it.each(["saves a list that is empty", "takes the only one from several people"])(
    "asserts no competence after an operator %s",
    async (how) => {
      const { operations } = harness;
      const nth = how.startsWith("saves") ? 336 : 337;
      await name(hostile, nth, { ...MADE_UP, lastName: `Rask-${nth}` });
      const { candidateId } = await find(`Mallory Rask-${nth}`);
      const { competenceId } = hospital;
      expect(await shown({ candidateId })).toMatchObject({
        memberships: [{ competenceIds: [competenceId] }],
      });
      const body = { candidateIds: [candidateId], competenceId, has: false };
      if (how.startsWith("saves"))
        ok(
          await operations.changeCandidate({
            params: { path: { candidateId } },
            body: { competenceIds: [] },
          }),
        );
      else ok(await operations.setCompetence({ body }));
      ok(await operations.importRegistry({ params: hostile.params }));
      expect(await shown({ candidateId })).toMatchObject({
        competenceIds: [],
        memberships: [{ competenceIds: [] }],
      });
    },
  );

  it("is revealed as what it asserts, not as the company's phone number", async () => {
    await name(hostile, 340, MADE_UP);
    await name(hospital, 340, { ...OWN, email: "", phone: "" });
    const { providerId } = hostile;
    const person = await revealed(await find("Anna Ek"));
    expect(person).toMatchObject({ email: "", phone: "" });
    expect(person.memberships).toMatchObject([
      { ...MADE_UP, providerId },
      { providerId: hospital.providerId, firstName: "Anna", email: "", phone: "" },
    ]);
  });

  it("hides no person from a search by the name that this one gives", async () => {
    await name(hostile, 350, MADE_UP);
    await name(hospital, 350, OWN);
    const [one] = await search("anna ek");
    const [other] = await search("mallory");
    expect(one?.candidateId).toBe(other?.candidateId);
  });

  it("counts nowhere else though its role is named as a competence, and was mapped without an operator", async () => {
    const { operations } = harness;
    const provider = await startSandbox();
    onTestFinished(provider.close);
    const [role] = provider.roles;
    const nurse = ok(await operations.createCompetence({ body: { name: role?.name ?? "" } }));
    const { competenceId } = nurse;
    const roles = hospital.provider.roles.map(({ id: roleId }) => ({ roleId, competenceId }));
    ok(await operations.updateMappings({ params: hospital.params, body: { outlets: [], roles } }));
    const { providerId, url: baseUrl, token: providerToken } = provider;
    const order = { providerId, baseUrl, providerToken, kind: "sandbox", name: "Hostile" };
    ok(await operations.createIntegration({ body: order }));
    const params = { path: { providerId } };
    const discovery = ok(await operations.discoverIntegration({ params }));
    expect(discovery.roles).toContainEqual(expect.objectContaining({ roleId: role?.id, competenceId }));
    await name({ provider, params }, 360, MADE_UP);
    const person = await find("Mallory Rask");
    expect(person).toMatchObject({ competenceIds: [], memberships: [{ competenceIds: [competenceId] }] });
    const job = await hospital.open();
    await hospital.idle();
    expect(await hospital.notifications(job)).toEqual([]);
    expect(await hospital.accept(job, person)).toMatchObject({ code: "candidate_not_released" });
  });

  describe("until an operator releases it", () => {
    const list = async (query: object) =>
      ok(await harness.operations.listCandidates({ params: { query } })).items.map(
        ({ firstName }) => firstName,
      );
    const releaseAll = async (candidateIds: string[]) =>
      ok(await harness.operations.releaseCandidates({ params: hostile.params, body: { candidateIds } }));

    it("is counted by the import and listed, with what conflicts", async () => {
      const { imported } = await name(hostile, 370, { ...OWN, firstName: "Alva" });
      expect(await name(hostile, 371, MADE_UP)).toMatchObject({ imported: 1, unreleased: imported + 1 });
      await hospital.addPerson({ personalNumber: numberAt(372) });
      await name(hospital, 371, OWN);
      const { providerId } = hospital;
      // The registries of all sandboxes name the same few people, too.
      expect(await list({ state: "unreleased" })).toHaveLength(imported + 1);
      expect((await list({ state: "unreleased", providerId })).slice(0, 2)).not.toContain("Alva");
      expect(await list({ state: "conflicting" })).toEqual(["Mallory"]);
      expect(await list({ state: "conflicting", providerId })).toEqual(["Mallory"]);
      expect((await list({ providerId: hostile.providerId })).slice(0, 2)).toEqual(["Mallory", "Alva"]);
    });

    it("is released for many at once, but not where the sources conflict", async () => {
      await name(hostile, 380, { ...OWN, firstName: "Alva" });
      await name(hostile, 381, { ...OWN, firstName: "Bodil", phone: "070-174 06 05" });
      await name(hostile, 382, MADE_UP);
      await name(hospital, 381, { ...OWN, firstName: "bodil", email: OWN.email.toUpperCase() });
      await name(hospital, 382, OWN);
      const { candidateId: own } = await hospital.addPerson({ personalNumber: numberAt(383) });
      const [alva, bodil, mallory] = [await find("Alva"), await find("Bodil"), await find("Mallory")];
      const job = await hospital.open();
      const asked = [mallory, bodil, own, alva, alva].map((each) =>
        typeof each === "string" ? each : each.candidateId,
      );
      expect(await releaseAll(asked)).toEqual({
        released: 1,
        left: [
          { candidateId: mallory.candidateId, reason: "conflicting" },
          { candidateId: bodil.candidateId, reason: "named_elsewhere" },
          { candidateId: own, reason: "not_in_registry" },
        ],
      });
      expect(await shown(alva)).toMatchObject({ shared: true, competenceIds: [hospital.competenceId] });
      expect(await shown(mallory)).toMatchObject({ shared: false, competenceIds: [] });
      await hospital.idle();
      const offered = (await hospital.notifications(job)).map(({ candidateId }) => candidateId);
      expect(offered).toContain(alva.candidateId);
      expect(await releaseAll([alva.candidateId])).toEqual({ released: 1, left: [] });
      const query = { operation: "releaseCandidates", subject: alva.candidateId };
      expect(ok(await harness.operations.listAudit({ params: { query } })).items).toHaveLength(2);
    });

    it("fills nothing of a person whom another registry names, and gives none of its mails away, when it is released for many", async () => {
      await name(hospital, 385, { ...OWN, email: "", phone: "" });
      await name(hostile, 385, { ...MADE_UP, firstName: "Anna", lastName: "Ek" });
      const { candidateId, conflicts } = await find("Anna Ek");
      expect(conflicts).toEqual(["email", "phone"]);
      expect(await list({ state: "conflicting" })).toEqual(["Anna"]);
      expect(await releaseAll([candidateId])).toEqual({
        released: 0,
        left: [{ candidateId, reason: "conflicting" }],
      });
      const params = { path: { candidateId } };
      ok(await harness.operations.releaseCandidate({ params, body: { providerId: hospital.providerId } }));
      // What the company released has no address either.
      expect(await shown({ candidateId })).toMatchObject({ shared: true, email: "", conflicts });
      expect(await releaseAll([candidateId])).toMatchObject({ released: 0 });
      await hospital.open();
      await hospital.idle();
      expect(mail.mails).toEqual([]);
      ok(await harness.operations.releaseCandidate({ params, body: { providerId: hostile.providerId } }));
      expect(await shown({ candidateId })).toMatchObject({ email: "m***@hostile.example", conflicts: [] });
    });

    it("may be released in spite of a conflict by an operator who has read it", async () => {
      await name(hostile, 390, MADE_UP);
      await name(hospital, 390, OWN);
      const { candidateId } = await find("Anna Ek");
      const params = { path: { candidateId } };
      const { providerId } = hospital;
      ok(await harness.operations.releaseCandidate({ params, body: { providerId } }));
      expect(await shown({ candidateId })).toMatchObject({
        firstName: "Anna",
        email: "a***@hospital.example",
      });
      expect((await revealed({ candidateId })).email).toBe(OWN.email);
    });
  });
});
