import { describe, expect, it } from "vitest";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import { verifySandbox } from "./verify-sandbox.ts";

async function verified(fault: FaultName, operations?: OperationId[], skip = ["contracts"] as const) {
  const { verification } = await verifySandbox({
    dialect: {},
    options: { skip: [...skip] },
    prepare: ({ setFault }) => setFault(fault, operations ? { operations } : {}),
  });
  return verification;
}

const wrong = ({ findings }: Verification) =>
  findings
    .filter(({ severity }) => severity !== "skipped")
    .map(({ code, operation }) => `${code} ${operation}`);

describe("one cause gives one finding", () => {
  it.each<[FaultName, OperationId[] | undefined, string[]]>([
    ["operation-missing", ["updateShift"], ["request_refused updateShift"]],
    ["operation-missing", ["createCandidate"], ["request_refused createCandidate"]],
    ["operation-missing", ["findCandidates"], ["lookup_misses findCandidates"]],
    ["no-token-accepted", ["getShift"], ["auth_missing getShift"]],
    ["time-without-offset", undefined, ["time_without_offset getShift"]],
    ["short-personal-numbers", ["createCandidate"], ["personal_number_wrong createCandidate"]],
    ["tenant-ignored", ["listRoles"], ["tenant_ignored listRoles"]],
    ["lists-now-and-then-shorter", ["listOutlets"], ["answer_unstable listOutlets"]],
    ["update-not-stored", undefined, ["update_without_effect updateShift"]],
    ["update-unassigns", undefined, ["shift_changed_unasked updateShift"]],
    ["assign-not-stored", undefined, ["assign_without_effect assignCandidate"]],
    ["assign-again-refused", undefined, ["assign_not_idempotent assignCandidate"]],
    ["registry-loops", undefined, ["registry_loops getCandidateRegistry"]],
    ["cancel-not-stored", undefined, ["cancel_without_effect cancelShift"]],
    ["warning-before-json", undefined, ["body_not_json getShift"]],
  ])("for %s at %j", async (fault, operations, expected) => {
    expect(wrong(await verified(fault, operations))).toEqual(expected);
  });

  it("also when the contracts are replayed", async () => {
    const { verification } = await verifySandbox({
      dialect: {},
      options: { only: ["answers", "contracts"] },
      prepare: ({ setFault }) => setFault("operation-missing", { operations: ["listOutlets"] }),
    });
    expect(wrong(verification)).toEqual(["request_refused listOutlets"]);
    const skips = verification.findings.filter(({ title }) => title.startsWith("lists the outlets"));
    expect(skips).toMatchObject([{ code: "skipped_after_failure", operation: "listOutlets" }]);
  });

  it("also a message before the JSON when the contracts are replayed", async () => {
    const { verification } = await verifySandbox({
      dialect: {},
      prepare: ({ setFault }) => setFault("warning-before-json"),
    });
    expect(wrong(verification)).toEqual(["body_not_json getShift"]);
  });

  it("which states how the organisation was sent, if a route is missing", async () => {
    const { findings } = await verified("operation-missing", ["updateShift"]);
    const finding = findings.find(({ code }) => code === "request_refused");
    expect(finding?.fix).toContain("Serve PUT /shifts/{shiftId}");
    expect(finding?.fix).toContain("--routing header");
  });

  it("which asks for the total of the positions, if the remainder is sent", async () => {
    const { findings } = await verified("assign-takes-position");
    const finding = findings.find(({ code }) => code === "shift_changed_unasked");
    expect(finding?.actual).toMatch(/slots went from \d to \d after an assignment/);
    expect(finding?.fix).toMatch(/^Send the total, not the remainder/);
  });
});
