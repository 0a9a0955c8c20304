import type { Page } from "playwright-core";
import type { Channel } from "../../src/platform/deps.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Operations, ok } from "../harness/operations.ts";
import type { ConsoleHarness } from "./harness.ts";

/** Refuses every mail, so that a notification may be sent again. */
export const channel: Channel = {
  name: "email",
  deliver: async () => ({ kind: "refused", code: "address_unusable", status: 550 }),
  close: () => undefined,
};
/** Organisations in each state, with something on every page. Returns the pages. */
export async function populate(harness: ConsoleHarness): Promise<string[]> {
  const { operations } = harness;
  const active = await harness.onboard();
  const robin = await active.addPerson();
  await active.addPerson({ firstName: "Elin" });
  const open = await active.open({ positions: 3 });
  await active.accept(open, robin);
  active.provider.setFault("error-500", { operations: ["getShift"] });
  const { traceId } = active.provider.createShift();
  await active.idle();
  active.provider.clearFaults();
  const event = await active.event(traceId);
  await active.trySend(open.shiftId, "wrong-token");
  ok(await operations.importRegistry({ params: active.params }));
  const unreleased = { providerId: active.providerId, state: "unreleased" } as const;
  const [member] = ok(await operations.listCandidates({ params: { query: unreleased } })).items;
  const left = await harness.onboard();
  ok(await operations.offboardIntegration({ params: left.params, body: { bookings: "keep" } }));
  const draft = await draftOf(operations);
  const integrations = [active.providerId, left.providerId, draft].map((id) => `integrations/${id}`);
  return [
    "",
    `jobs/${open.jobId}`,
    "week",
    "people",
    `people?${new URLSearchParams(unreleased)}`,
    `people/${member?.candidateId}`,
    "people/import",
    `people/${robin.candidateId}`,
    "integrations",
    "integrations/new",
    ...integrations,
    "health",
    "workplaces",
    "competences",
    "events",
    "events/rejected",
    `events/${event.eventId}`,
    "issues",
    "issues?state=resolved",
    "operators",
    "audit",
    "statistics",
    "no-such-page",
  ];
}

/** A draft that has read its outlets and mapped none. */
export async function draftOf(operations: Operations): Promise<string> {
  const sandbox = await startSandbox();
  const { providerId, url: baseUrl, token: providerToken } = sandbox;
  const body = { providerId, kind: "sandbox", name: "Nattkök", baseUrl, providerToken };
  ok(await operations.createIntegration({ body }));
  ok(await operations.discoverIntegration({ params: { path: { providerId } } }));
  await sandbox.close();
  return providerId;
}

/** Opens a page in the window that is there. */
export async function go({ platform }: ConsoleHarness, page: Page, path: string): Promise<void> {
  await page.goto(`${platform.url}/console/${path}`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.waitForFunction(
    () => document.querySelector("main h1") && !document.querySelector("[aria-busy=true]"),
  );
}
