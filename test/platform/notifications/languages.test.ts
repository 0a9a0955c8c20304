import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "../../../src/platform/deps.ts";
import { linksIn, PUBLIC_URL, startWithLinks } from "../../harness/candidate-links.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { send } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import type { StartedOrganisation } from "../../harness/started-organisation.ts";

/** A night in which clocks change: 9 hours. */
const NIGHT = { startTime: "2027-10-30T22:00:00+02:00", endTime: "2027-10-31T06:00:00+01:00" };
const LATER = { startTime: "2027-11-06T07:30:00+01:00", endTime: "2027-11-06T16:00:00+01:00" };

describe.each(featureEngines)("the language of mails and pages on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  let mails: Mail[];
  beforeEach(async () => {
    ({ organisation, mails } = await startWithLinks(database()));
  });
  afterEach(() => organisation.close());

  const page = async (mail: Mail | undefined, query = "") => {
    const [link = ""] = mail ? linksIn(mail) : [];
    const headers = { "accept-language": "de" };
    return (await send(organisation.url, `${link}${query}`, { headers })).text;
  };

  it("is the candidate's, otherwise the organisation's, otherwise the installation's, and the page agrees", async () => {
    const one = await organisation.addPerson({ email: "one@example.com" });
    const job = await organisation.open(NIGHT);
    const [first] = mails;
    expect([first?.language, first?.subject]).toEqual([
      "en",
      "A shift on Saturday 30 October at 22:00 is open for you",
    ]);
    expect(await page(first)).toContain('<html lang="en">');
    const { params, operations } = organisation;
    ok(await operations.changeIntegration({ params, body: { language: "sv" } }));
    expect((await organisation.integration()).language).toBe("sv");
    // Nothing of the first shift is offered to the others, in a digest.
    await organisation.accept(job, one);
    await organisation.addPerson({ email: "two@example.com" });
    await organisation.addPerson({ email: "three@example.com", language: "en" });
    mails.length = 0;
    await organisation.open(LATER);
    const bySubject = Object.fromEntries(mails.map(({ address, subject }) => [address, subject]));
    expect(bySubject).toMatchObject({
      "two@example.com": "Ett pass lördag 6 november kl. 07:30 är ledigt för dig",
      "three@example.com": "A shift on Saturday 6 November at 07:30 is open for you",
    });
    const swedish = mails.find(({ address }) => address === "two@example.com");
    expect(await page(swedish)).toContain('<html lang="sv">');
    expect(await page(swedish, "?language=en")).toContain('<html lang="en">');
    expect(await page(swedish, "?language=de")).toContain('<html lang="sv">');
    const english = mails.find(({ address }) => address === "three@example.com");
    for (const [mail, language] of [[swedish, "sv"] as const, [english, "en"] as const])
      for (const link of linksIn(mail ?? { text: "" }))
        expect((await send(organisation.url, link)).text).toContain(`<html lang="${language}">`);
  });

  it("has the shift in Swedish, with its length in a night in which clocks change, and old and new times", async () => {
    const person = await organisation.addPerson({ language: "sv", firstName: "Åsa" });
    const job = await organisation.open(NIGHT);
    const [outlet] = organisation.provider.outlets;
    const [role] = organisation.provider.roles;
    const [link, own, unsubscribe] = linksIn(mails[0] ?? { text: "" });
    expect(mails[0]?.text).toBe(
      [
        "Hej Åsa!",
        "Ett pass som passar dig är ledigt:",
        [
          `  Roll: ${role?.name}`,
          `  Plats: ${outlet?.name}`,
          "  Dag: lördag 30 oktober 2027",
          "  Tid: 22:00 – söndag 31 oktober 2027 06:00 (centraleuropeisk sommartid)",
          "  Längd: 9 timmar",
        ].join("\n"),
        "Den som tackar ja först får det.",
        `Tacka ja eller nej:\n  ${PUBLIC_URL}${link}`,
        `Alla dina pass, och din kalender:\n  ${PUBLIC_URL}${own}`,
        `Inga fler mejl om lediga pass:\n  ${PUBLIC_URL}${unsubscribe}\n`,
      ].join("\n\n"),
    );
    expect(mails[0]?.html).toContain(`<a href="${PUBLIC_URL}${link}">Tacka ja eller nej</a>`);
    await organisation.accept(job, person);
    await organisation.idle();
    expect(mails.at(-1)?.subject).toBe("Ditt pass lördag 30 oktober kl. 22:00 är bekräftat");
    organisation.provider.updateShift(job.shiftId, LATER);
    await organisation.process("shift.update", job.shiftId);
    await expect.poll(() => mails.at(-1)?.subject).toBe("Ditt pass lördag 6 november kl. 07:30 har ändrats");
    expect(mails.at(-1)?.text).toContain(
      "  Längd: 8 timmar 30 minuter\n\n  Tidigare: lördag 30 oktober 2027, 22:00 – ",
    );
    await organisation.withdraw(job, person);
    await organisation.idle();
    expect(mails.at(-1)?.subject).toContain("Du är inte längre bokad på ett pass");
  });
});
