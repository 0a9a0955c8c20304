import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import { createLog } from "../../src/platform/log.ts";
import { startMailServer } from "../harness/mail-server.ts";
import { ok } from "../harness/operations.ts";
import { onboard } from "../harness/organisation.ts";
import { OPERATIONS_TOKEN, withDatabase } from "../harness/platform.ts";
import { startWithTenants } from "../harness/tenants.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

const PERSON = {
  personalNumber: published.personnummer[120] ?? "",
  firstName: "Ragnhild",
  lastName: "Vinterkvist",
  email: "r.v@winter.example",
  phone: "+46701740699",
  hire: {
    address: "Snöstigen 17",
    postCode: "SE-987 65",
    city: "Kvikkjokk",
    countryCode: "se",
    emergencyContact: { name: "Torbjörn", phone: "+46701740688", relationship: "sibling" },
    bankDetails: { clearingNumber: "8327-9", accountNumber: "9040123456" },
    documents: {
      citizenship: "is",
      workPermitRequired: true,
      passportVerified: true,
      workPermitExpiry: "2031-07-09T00:00:00Z",
    },
  },
};
const TRACES = [
  PERSON.personalNumber,
  PERSON.personalNumber.slice(2),
  "Ragnhild",
  "Vinterkvist",
  "winter.example",
  "701740699",
  "Snöstigen",
  "SE-987 65",
  "Kvikkjokk",
  "Torbj",
  "701740688",
  "8327-9",
  "9040123456",
  "2031-07-09",
];

async function start() {
  const lines: string[] = [];
  const log = createLog("trace", { write: (line) => void lines.push(line) });
  const mail = await startMailServer();
  onTestFinished(mail.close);
  const harness = await startWithTenants("postgres", {
    log,
    config: { mail: { url: mail.url, from: "shifts@platform.example" } },
    retries: { tries: 3, baseMs: 5, capMs: 20 },
    timing: { onboardingRetriesMs: [], ladderMs: [], callTimeoutMs: 300, hourlyMs: 500 },
  });
  onTestFinished(harness.close);
  const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
  const operations = createClient({ baseUrl: `${harness.platform.url}/operations/v1`, headers });
  const organisation = await onboard({ platform: harness.platform, operations });
  onTestFinished(organisation.close);
  return { ...harness, lines, mail, operations, organisation };
}

it("the logs of a hire hold nothing of the person and no password, whatever goes wrong", async () => {
  const { lines, mail, location, platform, operations, organisation } = await start();
  const { provider, addPerson, open, accept } = organisation;
  const { candidateId } = await addPerson(PERSON);
  mail.refuse(550);
  const job = await open();
  for (const fault of ["error-500", "garbage", "hire-refused"] as const) {
    provider.setFault(fault, { operations: ["createCandidate"] });
    await accept(job, { candidateId });
    provider.clearFaults();
  }
  const body = { reason: "Ragnhild asks" };
  ok(await operations.revealCandidate({ params: { path: { candidateId } }, body }));
  await operations.createCandidate({ body: { ...PERSON, competenceIds: [] } });
  await withDatabase(location, ({ raw }) =>
    raw.executeSql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`),
  );
  await expect.poll(async () => (await fetch(`${platform.url}/health/ready`)).status).toBe(200);
  expect(await accept(job, { candidateId })).toMatchObject({
    code: "confirmed",
  });
  await platform.idle();
  expect(mail.mails.length).toBeGreaterThan(0);
  const all = lines.join("");
  expect(lines.length).toBeGreaterThan(10);
  expect(all).toMatch(/"level":"(?:warn|error)"/);
  const passwords = [location.url, mail.url].map((url) => new URL(url ?? "").password);
  for (const secret of [...TRACES, ...passwords, decodeURIComponent(passwords[1] ?? "")]) {
    expect(secret).not.toBe("");
    expect(all).not.toContain(secret);
  }
});

it.each([
  ["ten", (number: string) => number.slice(2)],
  ["twelve", (number: string) => number],
])(
  "neither logs nor metrics hold personal numbers of %s digits that a provider uses as ids",
  async (_, idOf) => {
    const { lines, platform, organisation } = await start();
    const { provider, addPerson, open, accept } = organisation;
    const number = published.personnummer[121] ?? "";
    provider.addCandidate({ id: idOf(number), personalNumber: number });
    const person = await addPerson({ personalNumber: number });
    const job = await open();
    for (const fault of ["error-500", "garbage", "unavailable"] as const) {
      provider.setFault(fault, { operations: ["assignCandidate"], times: 1 });
      await accept(job, person);
      await organisation.withdraw(job, person);
      await platform.idle();
    }
    expect(await accept(job, person)).toMatchObject({ code: "confirmed" });
    const assigned = organisation.calls.filter(({ path }) => path.includes("/assign/"));
    expect(assigned.length).toBeGreaterThan(3);
    const metrics = await (await fetch(`${platform.url}/metrics`)).text();
    for (const text of [lines.join(""), metrics]) expect(text).not.toContain(number.slice(2));
  },
);
