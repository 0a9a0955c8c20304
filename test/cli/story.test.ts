import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { playStory } from "../../src/cli/story/play.ts";
import type { Operations } from "../../src/cli/story/stage.ts";
import { issueText } from "../../src/contract/operator-text.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { startWithTenants, type TenantHarness } from "../harness/tenants.ts";
import { createTheatre, type Theatre, without } from "./theatre.ts";

const STEPS = [
  "the platform registers it as a draft",
  "the platform has workplaces and competences",
  "outlets and roles are read and mapped",
  "the integration is activated",
  "candidates sign up on the platform",
  "the provider sends shift.create",
  "the platform reads the shift and creates a job",
  "it matches candidates and notifies them",
  "the platform reserves the seat and assigns",
  "the provider has the assignment",
  "the provider sends shift.update",
  "the platform reads it and updates the job",
  "Elin is notified of the new time",
  "the platform records the cancellation",
  "the provider confirms; the job is cancelled",
  "Elin is notified",
  "the provider's echo is recognised and skipped",
];

/** A fault of the provider, from which step on it is there (undefined: from the start), and the step that fails of it. */
const FAULTS: [fault: FaultName, from: string | undefined, failing: string][] = [
  ["unavailable", undefined, "outlets and roles are read and mapped"],
  ["garbage", undefined, "outlets and roles are read and mapped"],
  ["webhook-of-another-shift", undefined, "the platform reads the shift and creates a job"],
  ["end-before-start", undefined, "the platform reads the shift and creates a job"],
  ["assign-conflict", undefined, "the platform reserves the seat and assigns"],
  ["assign-not-successful", undefined, "the platform reserves the seat and assigns"],
  ["end-before-start", "the provider has the assignment", "the platform reads it and updates the job"],
  [
    "webhook-of-another-shift",
    "the provider has the assignment",
    "the platform reads it and updates the job",
  ],
  ["cancel-refused", undefined, "the provider confirms; the job is cancelled"],
  ["no-echo", undefined, "the provider's echo is recognised and skipped"],
];

/** An operation of the platform that answers 500, and the step that fails of it. */
const BROKEN: [operation: keyof Operations, failing: string][] = [
  ["createIntegration", "the platform registers it as a draft"],
  ["listWorkplaces", "the platform has workplaces and competences"],
  ["listCompetences", "the platform has workplaces and competences"],
  ["discoverIntegration", "outlets and roles are read and mapped"],
  ["activateIntegration", "the integration is activated"],
  ["createCandidate", "candidates sign up on the platform"],
  ["listJobs", "the provider sends shift.create"],
  ["listNotifications", "it matches candidates and notifies them"],
  ["acceptJob", "the platform reserves the seat and assigns"],
  ["getTrace", "the platform reserves the seat and assigns"],
  ["cancelJob", "the platform records the cancellation"],
  ["listEvents", "the provider's echo is recognised and skipped"],
];

const done = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("   ✓ ")).map((line) => line.slice(5, 51).trim());

describe("the story of the four flows", () => {
  let harness: TenantHarness;
  let provider: Sandbox;
  let theatre: Theatre;

  beforeAll(async () => {
    // As many tries as a provider is given: a story must not wait for their end.
    harness = await startWithTenants("pglite", { retries: {}, timing: {} });
  });
  afterAll(() => harness.close());
  beforeEach(async () => {
    provider = await startSandbox();
    theatre = createTheatre(harness.platform, provider);
    return async () => {
      await provider.close();
    };
  });

  /** Nobody needs to wait long for what will not come. */
  function loseHeartBefore(failing: string): void {
    const before = STEPS[STEPS.indexOf(failing) - 1] ?? "";
    theatre.after(before, () => {
      theatre.stage.patienceMs = 60;
    });
  }

  it("tells every step as it goes right, and may be played again on the same platform", async () => {
    expect(await playStory(theatre.stage)).toBe(true);
    expect(done(theatre.lines)).toEqual(STEPS);
    expect(theatre.lines.at(-2)).toMatch(/^All four flows completed in \d+\.\d s\.$/);
    expect(theatre.lines.join("\n")).not.toContain("✗");

    const again = await startSandbox();
    const second = createTheatre(harness.platform, again);
    expect(await playStory(second.stage)).toBe(true);
    expect(done(second.lines)).toEqual(STEPS);
    await again.close();
  });

  it.each(FAULTS)("names the step that fails of %s (from %j on): %s", async (fault, from, failing) => {
    loseHeartBefore(failing);
    if (from === undefined) provider.setFault(fault);
    else {
      theatre.after(from, () => {
        provider.setFault(fault);
        theatre.stage.patienceMs = 20_000;
      });
    }
    expect(await playStory(theatre.stage)).toBe(false);
    expect(done(theatre.lines)).toEqual(STEPS.slice(0, STEPS.indexOf(failing)));
    expect(theatre.lines).toContain(`   ✗ ${failing}`);
    expect(theatre.lines.at(-1)).toBe(`Failed at: ${failing}.`);
  });

  it.each(BROKEN)(
    "names the step that fails when the platform's %s is broken: %s",
    async (operation, failing) => {
      const { stage, lines } = theatre;
      stage.operations = without(stage.operations, operation);
      expect(await playStory(stage)).toBe(false);
      expect(done(lines)).toEqual(STEPS.slice(0, STEPS.indexOf(failing)));
      expect(lines.slice(-4)).toEqual([
        `   ✗ ${failing}`,
        "     status 500 internal_error",
        "",
        `Failed at: ${failing}.`,
      ]);
    },
  );

  it("does not wait for the days in which a webhook is tried again", async () => {
    theatre.after("the integration is activated", () => {
      provider.connectPlatform({ url: "http://127.0.0.1:9", token: "t" });
    });
    loseHeartBefore("the provider sends shift.create");
    expect(await playStory(theatre.stage)).toBe(false);
    expect(theatre.lines.at(-1)).toBe("Failed at: the provider sends shift.create.");
  });

  it("says what the platform itself found wrong", async () => {
    provider.setFault("end-before-start");
    const failing = "the platform reads the shift and creates a job";
    theatre.after("the provider sends shift.create", () => {
      theatre.stage.patienceMs = 1_000;
    });
    expect(await playStory(theatre.stage)).toBe(false);
    const reason = theatre.lines[theatre.lines.indexOf(`   ✗ ${failing}`) + 1];
    expect(reason).toMatch(/waited 1 s for the job; /);
    const [shift] = provider.shifts;
    const params = { fault: "end_not_after_start", pointer: "/endTime" } as const;
    const subject = { kind: "shift", shiftId: shift?.id ?? "" } as const;
    expect(reason).toContain(issueText({ code: "shift_unusable", subject, params }).detail);
  });
});
