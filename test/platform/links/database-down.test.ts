import { expect, it, onTestFinished } from "vitest";
import { answerOn, catchMail, headingOf, linksIn, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { copyDatabase } from "../../harness/engines.ts";
import { openGate } from "../../harness/gate.ts";
import { send } from "../../harness/http.ts";
import { startHarness } from "../../harness/platform.ts";

it("shows a page to candidates while the database is down, and the shift once it is back", async () => {
  const { where, remove } = await copyDatabase();
  const gate = await openGate(where.url);
  const { channel, mails } = catchMail();
  const harness = await startHarness({ url: gate.url }, { config: { publicUrl: PUBLIC_URL }, channel });
  onTestFinished(async () => {
    await harness.close();
    await gate.shut();
    await remove();
  });
  const organisation = await harness.onboard({ connect: false });
  await organisation.addPerson();
  const { shiftId } = await organisation.open();
  const { url } = harness.platform;
  const [link = "", list = ""] = linksIn(mails[0] ?? { text: "" });
  const { text } = await send(url, list);
  const calendar = /<code>https:\/\/work\.example([^<]*)/.exec(text)?.[1] ?? "";
  await gate.shut();
  for (const path of [link, list, calendar]) {
    const page = await send(url, path);
    expect([page.status, headingOf(page)]).toEqual([503, "Something went wrong"]);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect(headingOf(await answerOn(url, `${link}?language=sv`, "accept"))).toBe("Något gick fel");
  await gate.open();
  await expect.poll(async () => headingOf(await send(url, link))).toBe("A shift for you");
  expect((await organisation.job(shiftId)).bookings).toEqual([]);
});
