import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PersonalNumber } from "../../../src/contract/personal-number.ts";
import { openPersonalNumbers } from "../../../src/platform/candidates/personal-numbers.ts";
import { newId } from "../../../src/platform/ids.ts";
import { importPeople } from "../../../src/platform/integrations/registry-people.ts";
import type { RegisteredPerson } from "../../../src/platform/integrations/registry-person.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";

/** A provider without pages sends all entries at once; a statement has at most 65,535 parameters. */
const MANY = 22_000;

describe.each(featureEngines)("a page of the registry on %s", (engine) => {
  const database = useEngine(engine);

  const organisation = async () => {
    const provider_id = randomUUID();
    const row = { kind: "k", name: "n", base_url: "https://p.example", provider_token: "t" };
    await database()
      .kysely.insertInto("integrations")
      .values({ provider_id, ...row })
      .execute();
    return provider_id;
  };
  const openNumbers = () => openPersonalNumbers(database(), createVault(SECRET_KEY));
  const take = async (providerId: string, people: RegisteredPerson[]) => {
    const parts = { newId, now: () => new Date(), numbers: await openNumbers() };
    return database()
      .kysely.transaction()
      .execute((trx) => importPeople(trx, parts, providerId, people));
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
  const contact = async ({ number }: RegisteredPerson) =>
    database()
      .kysely.selectFrom("candidates")
      .select(["email", "phone"])
      .where("personal_number_hash", "=", (await openNumbers()).hash(number))
      .executeTakeFirst();

  it("may hold any number of people", async () => {
    const providerId = await organisation();
    const people = Array.from({ length: MANY }, (_, nth) => person(nth));
    expect(await take(providerId, people)).toEqual({ imported: MANY, updated: 0, skipped: 0 });
    const reachable = people.map((each) => ({ ...each, email: "robin@example.com" }));
    expect(await take(providerId, reachable)).toEqual({ imported: 0, updated: MANY, skipped: 0 });
  });

  it("adds contact details of a candidate that only this organisation has", async () => {
    const providerId = await organisation();
    await take(providerId, [person(1)]);
    const reachable = person(1, { email: "robin@example.com", phone: "+46701740605" });
    expect(await take(providerId, [reachable])).toMatchObject({ updated: 1 });
    expect(await contact(reachable)).toEqual({ email: "robin@example.com", phone: "+46701740605" });
  });

  it("adds no contact details of a candidate that another organisation has, whose mail would be sent there", async () => {
    const [one, other] = [await organisation(), await organisation()];
    await take(one, [person(1)]);
    const elsewhere = person(1, { email: "elsewhere@example.com", phone: "+46701740699" });
    expect(await take(other, [elsewhere])).toMatchObject({ imported: 0, updated: 1 });
    expect(await contact(elsewhere)).toEqual({ email: "", phone: "" });
    expect(await take(other, [elsewhere])).toMatchObject({ updated: 0, skipped: 1 });
    expect(await take(one, [elsewhere])).toMatchObject({ updated: 0, skipped: 1 });
  });

  it("adds no contact details of a candidate who was added by an operator", async () => {
    const providerId = await organisation();
    const candidate = { first_name: "Robin", last_name: "Ek", email: "own@example.com", phone: "" };
    await database()
      .kysely.insertInto("candidates")
      .values({ candidate_id: newId(), ...(await openNumbers()).columns(person(1).number), ...candidate })
      .execute();
    await take(providerId, [person(1, { email: "elsewhere@example.com", phone: "+46701740699" })]);
    expect(await contact(person(1))).toEqual({ email: "own@example.com", phone: "" });
  });
});
