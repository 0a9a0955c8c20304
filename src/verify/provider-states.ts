import { CouldNotRun } from "./could-not-run.ts";
import type { Fixtures, VerifyOptions } from "./options.ts";

/** What a provider state answers: values by name (test/consumer/README.md lists the states). */
export type StateValues = Readonly<Record<string, unknown>>;

/**
 * Sets a provider state up at the provider: Pact's callback.
 * @throws CouldNotRun when the provider's callback does not do its part
 */
export async function setUpState(
  statesUrl: string,
  state: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<StateValues> {
  const body = JSON.stringify({ state, params, action: "setup" });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(statesUrl, { method: "POST", headers, body }).catch(() => undefined);
  if (!response?.ok) {
    const came = response ? `status ${response.status}` : "no answer";
    throw new CouldNotRun(`--states-url: ${came} when asked for the state "${state}"`);
  }
  const values: unknown = await response.json().catch(() => ({}));
  return typeof values === "object" && values !== null ? (values as StateValues) : {};
}

/** The fixtures that were given; what is missing is made through `--states-url` or `--create-shift` when there is one. */
export async function setUpFixtures(options: VerifyOptions): Promise<Fixtures> {
  const { fixtures = {}, statesUrl, createShift, readOnly } = options;
  if (readOnly) return fixtures;
  const shiftId =
    fixtures.shiftId === undefined && statesUrl === undefined ? await createShift?.() : undefined;
  const own = { ...text("shiftId", shiftId), ...fixtures };
  return statesUrl === undefined ? own : { ...(await setUpThrough(statesUrl)), ...own };
}

async function setUpThrough(statesUrl: string): Promise<Fixtures> {
  const shift = await setUpState(statesUrl, "a shift exists", { positions: 2 });
  const cancellable = await setUpState(statesUrl, "a shift exists", { positions: 1 });
  const person = await setUpState(statesUrl, "a candidate exists");
  return {
    ...text("shiftId", shift.shiftId),
    ...text("cancellableShiftId", cancellable.shiftId),
    ...text("knownPersonalNumber", person.personalNumber),
    ...text("knownCandidateId", person.candidateId),
  };
}

function text(name: keyof Fixtures, value: unknown): Fixtures {
  return typeof value === "string" ? { [name]: value } : {};
}
