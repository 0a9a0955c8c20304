import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runDemo } from "../../src/cli/demo/flows.ts";
import type { Operations } from "../../src/cli/demo/step.ts";
import { issueText } from "../../src/contract/operator-text.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { startWithTenants, type TenantHarness } from "../harness/tenants.ts";
import { type RecordedDemo, recordDemo, without } from "./recorded-demo.ts";

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

/** A fault of the provider, the step after which it is set (undefined: from the start), and the step that fails because of it. */
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

/** An operation of the platform that answers 500, and the step that fails because of it. */
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

describe("the demo of the four flows", () => {
  let harness: TenantHarness;
  let provider: Sandbox;
  let recorded: RecordedDemo;

  beforeAll(async () => {
    // As many retries as a provider gets: a demo must not wait for their end.
    harness = await startWithTenants("pglite", { retries: {}, timing: {} });
  });
  afterAll(() => harness.close());
  beforeEach(async () => {
    provider = await startSandbox();
    recorded = recordDemo(harness.platform, provider);
    return async () => {
      await provider.close();
    };
  });

  /** Shortens the wait for what will not arrive. */
  function shortenTimeoutBefore(failing: string): void {
    const before = STEPS[STEPS.indexOf(failing) - 1] ?? "";
    recorded.after(before, () => {
      recorded.demo.timeoutMs = 60;
    });
  }

  it("prints every step that succeeds, and can run again on the same platform", async () => {
    expect(await runDemo(recorded.demo)).toBe(true);
    expect(done(recorded.lines)).toEqual(STEPS);
    expect(recorded.lines.at(-2)).toMatch(/^All four flows completed in \d+\.\d s\.$/);
    expect(recorded.lines.join("\n")).not.toContain("✗");

    const again = await startSandbox();
    const second = recordDemo(harness.platform, again);
    expect(await runDemo(second.demo)).toBe(true);
    expect(done(second.lines)).toEqual(STEPS);
    await again.close();
  });

  it.each(FAULTS)("names the step that fails of %s (from %j on): %s", async (fault, from, failing) => {
    shortenTimeoutBefore(failing);
    if (from === undefined) provider.setFault(fault);
    else {
      recorded.after(from, () => {
        provider.setFault(fault);
        recorded.demo.timeoutMs = 20_000;
      });
    }
    expect(await runDemo(recorded.demo)).toBe(false);
    expect(done(recorded.lines)).toEqual(STEPS.slice(0, STEPS.indexOf(failing)));
    expect(recorded.lines).toContain(`   ✗ ${failing}`);
    expect(recorded.lines.at(-1)).toBe(`Failed at: ${failing}.`);
  });

  it.each(BROKEN)(
    "names the step that fails when the platform's %s is broken: %s",
    async (operation, failing) => {
      const { demo, lines } = recorded;
      demo.operations = without(demo.operations, operation);
      expect(await runDemo(demo)).toBe(false);
      expect(done(lines)).toEqual(STEPS.slice(0, STEPS.indexOf(failing)));
      expect(lines.slice(-4)).toEqual([
        `   ✗ ${failing}`,
        "     status 500 internal_error",
        "",
        `Failed at: ${failing}.`,
      ]);
    },
  );

  it("does not wait for the days in which a webhook is retried", async () => {
    recorded.after("the integration is activated", () => {
      provider.connectPlatform({ url: "http://127.0.0.1:9", token: "t" });
    });
    shortenTimeoutBefore("the provider sends shift.create");
    expect(await runDemo(recorded.demo)).toBe(false);
    expect(recorded.lines.at(-1)).toBe("Failed at: the provider sends shift.create.");
  });

  it("prints the issue that the platform raised", async () => {
    provider.setFault("end-before-start");
    const failing = "the platform reads the shift and creates a job";
    recorded.after("the provider sends shift.create", () => {
      recorded.demo.timeoutMs = 1_000;
    });
    expect(await runDemo(recorded.demo)).toBe(false);
    const reason = recorded.lines[recorded.lines.indexOf(`   ✗ ${failing}`) + 1];
    expect(reason).toMatch(/waited 1 s for the job; /);
    const [shift] = provider.shifts;
    const params = { fault: "end_not_after_start", pointer: "/endTime" } as const;
    const subject = { kind: "shift", shiftId: shift?.id ?? "" } as const;
    expect(reason).toContain(issueText({ code: "shift_unusable", subject, params }).detail);
  });
});
