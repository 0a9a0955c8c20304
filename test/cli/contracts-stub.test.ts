import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { contracts } from "../../src/cli/contracts.ts";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import type { Dialect } from "../../src/contract/dialect.ts";
import { parsePersonalNumber } from "../../src/contract/personal-number.ts";
import { freePort } from "../harness/embedded-postgres.ts";
import { CALL } from "../harness/pact/exchange.ts";
import { EXAMPLES } from "../harness/pact/matching.ts";
import { terminal } from "../harness/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "contracts-stub-"));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts Pact's stub server with the file for these forms. Returns its URL. */
async function stub(...forms: string[]): Promise<string> {
  const out = mkdtempSync(join(folder, "stub-"));
  expect(await contracts([...forms, "--stub", "--out", out], terminal().io)).toBe(0);
  const port = await freePort();
  const argv = ["--file", join(out, "scheduling-provider.stub.json"), "--port", String(port)];
  const child = spawn("node_modules/.bin/pact-stub-server", argv, {
    env: { ...process.env, PACT_DO_NOT_TRACK: "true" },
    stdio: "ignore",
  });
  children.add(child);
  await listening(port, child);
  return `http://127.0.0.1:${port}`;
}

/** Waits until it responds: the stub server does not report when it is ready. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, "127.0.0.1");
    const [isOpen] = await Promise.race([
      once(socket, "connect").then(() => [true]),
      once(socket, "close").then(() => [false]),
    ]).catch(() => [false]);
    socket.destroy();
    if (isOpen) return;
  }
  throw new Error(`the stub server ended with ${child.exitCode}`);
}

const { shiftId, candidateId, assignedCandidateId, personalNumber, startTime, endTime } = EXAMPLES;
const number = parsePersonalNumber(personalNumber);
const ADA = {
  personalNumber,
  firstName: "Ada",
  lastName: "Strand",
  email: "ada@example.com",
  phone: "+46701740605",
};

describe("the stub of a provider", () => {
  it.each<[Dialect["routing"], Dialect["variant"], Dialect["unassign"], Dialect["acknowledgement"]]>([
    ["path", "a", "put", "minimal"],
    ["header", "b", "delete", "full"],
  ])("serves every call: %s, variant %s, %s, %s", async (routing, variant, unassign, acknowledgement) => {
    const forms = { routing, variant, "not-found": "empty", unassign, ack: acknowledgement };
    const baseUrl = await stub(...Object.entries(forms).flatMap(([flag, value]) => [`--${flag}`, value]));
    const provider = createProviderClient({
      baseUrl,
      providerId: EXAMPLES.providerId,
      token: "any",
      routing,
      seen: { unassign },
    });
    if (!number) throw new TypeError("not a personal number");
    const answers = [
      await provider.getShift(shiftId, CALL),
      await provider.updateShift(shiftId, { startTime, endTime, positions: 2 }, CALL),
      await provider.cancelShift(shiftId, CALL),
      await provider.assign({ shiftId, candidateId }, CALL),
      await provider.unassign({ shiftId, candidateId: assignedCandidateId }, CALL),
      await provider.findCandidates(number, CALL),
      await provider.createCandidate(ADA, CALL),
      await provider.readRegistry({ limit: 200 }, CALL),
      await provider.listOutlets(CALL),
      await provider.listRoles(CALL),
    ];
    expect(answers.map(({ kind }) => kind)).toEqual([
      "shift",
      "shift",
      "cancelled",
      "assigned",
      "unassigned",
      "found",
      "created",
      "page",
      "list",
      "list",
    ]);
  });
});
