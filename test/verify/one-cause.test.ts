import { afterAll, describe, expect, it } from "vitest";
import type { Verification } from "../../src/verify/events.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { EVERY } from "../harness/fault-row.ts";
import { endIndependent, flagsFor, hasPython, listFaults, startIndependent } from "./independent/start.ts";

afterAll(endIndependent);

const planted = hasPython ? listFaults() : [];

const FAST: Partial<VerifyOptions> = { skip: ["contracts"] };

async function verified(fault: string, options = FAST): Promise<Verification> {
  const flags = planted.filter(({ name }) => name === fault).flatMap(flagsFor);
  const { close, ...provider } = await startIndependent(["--style", "coded", ...flags]);
  try {
    return await verify({ ...provider, wait: () => Promise.resolve(), ...options });
  } finally {
    close();
  }
}

const wrong = ({ findings }: Verification) =>
  findings
    .filter(({ severity }) => severity !== "skipped")
    .map(({ code, operation }) => `${code} ${operation}`);

/** The findings of a fault, and what the fix of the first one says. */
type Row = [fault: string, found: string, fix?: RegExp, options?: Partial<VerifyOptions>];

describe.skipIf(!hasPython)("one cause gives one finding", () => {
  it.each<Row>([
    ["no-token-403", "auth_status provider", /^Return 401/],
    ["no-token-404", "auth_status provider"],
    ["no-token-redirect", "auth_status provider", /^Return 401 .*in place of the redirect to a login page/],
    ["wrong-scheme-accepted", "auth_wrong_scheme provider"],
    ["any-token-accepted", "auth_any_token provider"],
    ["missing-provider-accepted", "tenant_ignored provider"],
    // Whose request is the one before depends on how many are sent at once.
    ["tenant-kept", "tenant_ignored provider", /./, { ...FAST, concurrency: 1 }],
    ["unknown-provider-400", "tenant_status provider"],
    ["text-label-everywhere", "content_type_wrong provider"],
    ["latin1-everywhere", "body_not_json provider"],
    ["errors-as-text", "error_not_problem provider"],
    ["stack-trace-in-error", "error_leaks provider"],
    ["unknown-id-500", "server_error provider"],
    ["page-around-lists", "field_wrong provider", /list .*without an object with `content` around it/],
    ["status-unknown-value", "field_wrong getShift", /^Send `open`, `filled` or `cancelled`, in lower case/],
    ["candidate-personal-number-number", "field_wrong provider"],
    ["status-upper-case", "field_wrong getShift", /in lower case/],
    ["status-one-l", "field_wrong getShift", /with this spelling/],
    ["wrapped-everywhere", "field_wrong provider", /each object itself, without an object with `data`/],
    ["wrapped-shift", "field_wrong getShift"],
    ["assign-needs-content-type", "request_refused assignCandidate", /without a body and .* Content-Type/],
    ["hire-unknown-fields-400", "request_refused createCandidate", /FAIL_ON_UNKNOWN_PROPERTIES/],
    ["update-one-name", "request_refused updateShift", /FAIL_ON_UNKNOWN_PROPERTIES/],
    ["update-drops-offset", "offset_ignored updateShift", /^Read the offset/],
    ["redirect-get-shift", "redirected getShift", /^Serve GET \/providers\/.* without a slash at its end/],
    ["redirect-outlets", "redirected listOutlets", /^Use the final address/],
    ["trace-in-error", "error_leaks provider"],
    ["create-number-as-number", "invalid_tolerated createCandidate"],
    ["route-missing-update-shift", "request_refused updateShift"],
    ["route-missing-create", "request_refused createCandidate"],
    ["route-missing-lookup", "lookup_misses findCandidates"],
    ["time-without-zone", "time_without_offset getShift"],
    ["registry-ten-digits", "personal_number_wrong getCandidateRegistry"],
    ["shorter-now-and-then", "answer_unstable listOutlets"],
    ["update-not-stored", "update_without_effect updateShift"],
    ["update-drops-assigned", "shift_changed_unasked updateShift"],
    ["assign-without-effect", "assign_without_effect assignCandidate"],
    ["assign-repeat-409", "assign_not_idempotent assignCandidate"],
    ["delete-without-effect", "cancel_without_effect cancelShift"],
    ["warning-everywhere", "body_not_json provider"],
  ])("for %s", async (fault, expected, fix = /./, options = FAST) => {
    const verification = await verified(fault, options);
    expect(wrong(verification)).toEqual([expected]);
    expect(verification.findings.find(({ severity }) => severity !== "skipped")?.fix).toMatch(fix);
  });

  it("with its count and its operations, if there are several", async () => {
    const { findings, summary, checks } = await verified("unknown-provider-400");
    const finding = findings.find(({ code }) => code === "tenant_status");
    expect(finding?.places).toEqual(EVERY.toSorted());
    expect(finding?.count).toBeGreaterThanOrEqual(EVERY.length);
    expect(summary.warnings).toBe(1);
    const tenants = checks.filter(({ name }) => name === "tenants");
    expect(tenants.map(({ operation }) => operation)).toEqual(expect.arrayContaining([...EVERY]));
  });

  it("also when the contracts are replayed", async () => {
    const verification = await verified("route-missing-outlets", { only: ["answers", "contracts"] });
    expect(wrong(verification)).toEqual(["request_refused listOutlets"]);
    const skips = verification.findings.filter(({ title }) => title.startsWith("lists the outlets"));
    expect(skips).toMatchObject([{ code: "skipped_after_failure", operation: "listOutlets" }]);
  });

  it("also a message before the JSON when the contracts are replayed", async () => {
    expect(wrong(await verified("warning-everywhere", {}))).toEqual(["body_not_json provider"]);
  });

  it("which states the missing route as it was called, and suspects no routing", async () => {
    const { findings } = await verified("route-missing-update-shift");
    const finding = findings.find(({ code }) => code === "request_refused");
    expect(finding?.fix).toBe(
      "Serve PUT /providers/{providerId}/shifts/{shiftId}, and find the ids of the request.",
    );
  });

  it("which asks for the total of the positions, if the remainder is sent", async () => {
    const { findings } = await verified("assign-changes-positions");
    const finding = findings.find(({ code }) => code === "shift_changed_unasked");
    expect(finding?.actual).toMatch(/slots went from \d to \d after an assignment/);
    expect(finding?.fix).toMatch(/^Send the total, not the remainder/);
  });

  it("again in the next run, for an invalid candidate that the provider keeps", async () => {
    const { close, ...provider } = await startIndependent(["--fault", "create-number-unchecked"]);
    const warned = async () => {
      const { findings } = await verify({ ...provider, skip: ["contracts"] });
      return findings.filter(({ code }) => code === "invalid_tolerated").map(({ expected }) => expected);
    };
    const first = await warned();
    expect(first).not.toEqual([]);
    expect(await warned()).toEqual(expect.arrayContaining(first));
    close();
  });
});
