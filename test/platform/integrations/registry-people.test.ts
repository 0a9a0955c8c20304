import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PersonalNumber } from "../../../src/contract/personal-number.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/candidate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { importPeople } from "../../../src/platform/integrations/registry/people.ts";
import type { RegisteredPerson } from "../../../src/platform/integrations/registry/reading.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";

/** A provider without pages sends all entries at once; a statement has at most 65,535 parameters. */
const MANY = 22_000;

describe.each(featureEngines)("a page of the registry on %s", (engine) => {
  const database = useEngine(engine);

  const organisation = async () => {
    const providerId = randomUUID();
    const row = { kind: "k", name: "n", baseUrl: "https://p.example", providerToken: "t" };
    await database()
      .kysely.insertInto("integrations")
      .values({ providerId, ...row })
      .execute();
    return providerId;
  };
  const openNumbers = () => openPersonalNumbers(database(), createVault(SECRET_KEY));
  const take = async (providerId: string, people: RegisteredPerson[]) => {
    const parts = { newId, now: () => new Date(), numbers: await openNumbers(), wakeWorker: () => undefined };
    return transact({ database: database() }, (trx) => importPeople(trx, parts, providerId, people));
  };
  const person = (nth: number, rest: Partial<RegisteredPerson> = {}): RegisteredPerson => ({
    number: `unknown ${nth}` as PersonalNumber,
    providerCandidateId: `candidate-${nth}`,
    firstName: "Robin",
    lastName: "Ek",
    roleIds: [],
    email: "",
    phone: "",
    ...rest,
  });
  /** What an organisation asserts; without one, what is valid everywhere. */
  const contact = async ({ number }: RegisteredPerson, providerId?: string) => {
    const { kysely } = database();
    const hash = (await openNumbers()).hash(number);
    const asserted = kysely
      .selectFrom("memberships")
      .innerJoin("candidates", "candidates.candidateId", "memberships.candidateId");
    return providerId === undefined
      ? kysely
          .selectFrom("candidates")
          .select(["email", "phone"])
          .where("personalNumberHash", "=", hash)
          .executeTakeFirst()
      : asserted
          .select(["memberships.email", "memberships.phone"])
          .where("personalNumberHash", "=", hash)
          .where("providerId", "=", providerId)
          .executeTakeFirst();
  };

  it("may hold any number of people", async () => {
    const providerId = await organisation();
    const people = Array.from({ length: MANY }, (_, nth) => person(nth));
    expect(await take(providerId, people)).toEqual({ imported: MANY, updated: 0, skipped: 0 });
    const reachable = people.map((each) => ({ ...each, email: "robin@example.com" }));
    expect(await take(providerId, reachable)).toEqual({ imported: 0, updated: MANY, skipped: 0 });
  });

  it("fills in contact details that were missing", async () => {
    const providerId = await organisation();
    await take(providerId, [person(1)]);
    const reachable = person(1, { email: "robin@example.com", phone: "+46701740605" });
    expect(await take(providerId, [reachable])).toMatchObject({ updated: 1 });
    const other = person(1, { email: "other@example.com", phone: "+46701740699" });
    expect(await take(providerId, [other])).toMatchObject({ updated: 0, skipped: 1 });
    expect(await contact(other, providerId)).toEqual({ email: "robin@example.com", phone: "+46701740605" });
  });

  it("gives contact details to its own organisation only, whose mail is sent there", async () => {
    const [one, other] = [await organisation(), await organisation()];
    const [here, elsewhere] = ["here", "elsewhere"].map((name) =>
      person(1, { email: `${name}@example.com` }),
    );
    if (!here || !elsewhere) throw new Error("there are two");
    await take(one, [here]);
    expect(await take(other, [elsewhere])).toMatchObject({ imported: 0, updated: 1 });
    expect(await take(other, [elsewhere])).toMatchObject({ updated: 0, skipped: 1 });
    expect(await contact(here)).toEqual({ email: "", phone: "" });
    expect(await contact(here, one)).toMatchObject({ email: "here@example.com" });
    expect(await contact(here, other)).toMatchObject({ email: "elsewhere@example.com" });
  });

  it("leaves a candidate who was added by an operator as entered", async () => {
    const providerId = await organisation();
    const candidate = { firstName: "Robin", lastName: "Ek", email: "own@example.com", phone: "" };
    await database()
      .kysely.insertInto("candidates")
      .values({ candidateId: newId(), ...(await openNumbers()).columns(person(1).number), ...candidate })
      .execute();
    await take(providerId, [person(1, { email: "elsewhere@example.com", phone: "+46701740699" })]);
    expect(await contact(person(1))).toEqual({ email: "own@example.com", phone: "" });
  });
});
