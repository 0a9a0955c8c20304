import { afterAll, afterEach, beforeAll } from "vitest";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp, type ProviderHttp } from "../../src/clients/provider/http.ts";
import type { SeenDialect } from "../../src/contract/dialect.ts";
import { type PersonalNumber, parsePersonalNumber } from "../../src/contract/personal-number.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";

/** Far longer than a busy machine takes for eight responses of 10 MB. */
const TIMEOUT_MS = 120_000;

export const CALL = { traceId: "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55" };
export const ADA = {
  personalNumber: "197606252380",
  firstName: "Ada",
  lastName: "Strand",
  email: "ada.strand@example.com",
  phone: "+46701740605",
};
export const ADAS_NUMBER = numberOf(ADA.personalNumber);

/** Creates a sandbox and a client of it in each test; all are closed after the test. */
export function providerSandboxes() {
  let http: ProviderHttp;
  const running: Sandbox[] = [];
  beforeAll(() => {
    http = createProviderHttp({ allowInsecure: true, timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
  });
  afterAll(() => http.close());

  return async (
    options: SandboxOptions = {},
    own: { token?: string; fetch?: ProviderHttp["fetch"] } = {},
  ) => {
    const sandbox = await startSandbox(options);
    running.push(sandbox);
    const seen: SeenDialect[] = [];
    const { url, providerId } = sandbox;
    const { token = sandbox.token, fetch = http.fetch } = own;
    const routing = options.dialect?.routing ?? "path";
    const onSeen = (update: SeenDialect) => seen.push(update);
    const client = createProviderClient({ baseUrl: `${url}/`, providerId, token, routing, fetch, onSeen });
    return { sandbox, client, seen };
  };
}

/** Creates a shift with one position, and a candidate for it. */
export function idsOf(sandbox: Sandbox) {
  const { shiftId, shift } = sandbox.createShift({ positions: 1 });
  const [candidate] = sandbox.candidates;
  if (!candidate) throw new Error("not seeded");
  return { shiftId, shift, seat: { shiftId, candidateId: candidate.id } };
}

function numberOf(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number === undefined) throw new Error("not a personal number");
  return number;
}
