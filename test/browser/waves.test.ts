import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import { answerOn, catchMail, linkOf, PUBLIC_URL } from "../harness/candidate-links.ts";
import { send } from "../harness/http.ts";
import { expectNoViolation, useConsoleHarness } from "./harness.ts";

const { channel, mails } = catchMail();
const harness = useConsoleHarness({
  channel,
  config: { publicUrl: PUBLIC_URL, offerWaves: { size: 1, pauseMs: 30 * MINUTE_MS } },
});

describe("the page of a job that is offered in waves", () => {
  it("explains the order, and shows who was asked, opened the link, and declined", async () => {
    const organisation = await harness().onboard();
    for (const firstName of ["Astrid", "Britta"])
      await organisation.addPerson({ firstName, lastName: "Lind" });
    const { jobId } = await organisation.open();
    const page = await harness().visit(`jobs/${jobId}`);
    const staffing = page.getByRole("region", { name: "Why is it not staffed?" });
    await staffing.getByText("Offers go out to 1 candidate at a time").waitFor();
    await staffing.getByText("Next wave:").waitFor();
    const items = page.getByRole("region", { name: "Notifications" }).getByRole("listitem");
    await items.first().waitFor();
    await expect.poll(() => items.count()).toBe(1);
    const link = linkOf(mails, /open for you/);
    await send(harness().platform.url, link);
    await items.getByText("link opened").waitFor();
    await answerOn(harness().platform.url, link, "decline");
    const declined = items.filter({ hasText: "declined" });
    await declined.getByText("link opened").waitFor();
    // Everyone of the wave has declined.
    await items.nth(1).waitFor();
    await expectNoViolation(page);
  });
});
