import { CouldNotRun } from "./connection-errors.ts";
import { messageBefore } from "./judge/success.ts";
import type { Fixtures, VerifyOptions } from "./options.ts";

/** Values of a provider state by name (test/consumer/README.md lists the states). */
export type StateValues = Readonly<Record<string, unknown>>;

/**
 * Sets up a provider state through Pact's callback, and returns its values.
 * @throws CouldNotRun when the callback does not return a success
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
    const received = response ? `status ${response.status}` : "no response";
    throw new CouldNotRun(`--states-url: ${received} for the state "${state}"`);
  }
  const message = messageBefore(await response.clone().text());
  if (message)
    throw new CouldNotRun(`--states-url: ${message.actual}, for the state "${state}". ${message.fix}`);
  const values: unknown = await response.json().catch(() => ({}));
  return typeof values === "object" && values !== null ? (values as StateValues) : {};
}

/** Returns the given fixtures. Missing ones are created through `--states-url` or `--create-shift`. */
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

/** Removes the candidates with these numbers through the provider state, and returns the numbers that are left. */
export async function removeCandidates(
  statesUrl: string | undefined,
  numbers: readonly string[],
): Promise<readonly string[]> {
  if (statesUrl === undefined) return numbers;
  const left = [...numbers];
  try {
    for (const personalNumber of numbers) {
      await setUpState(statesUrl, "no such candidate", { personalNumber });
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof CouldNotRun)) throw error;
  }
  return left;
}

function text(name: keyof Fixtures, value: unknown): Fixtures {
  return typeof value === "string" ? { [name]: value } : {};
}
