import { setTimeout as sleep } from "node:timers/promises";
import { CircuitState, ConsecutiveBreaker, circuitBreaker, DelegateBackoff, handleWhen } from "cockatiel";
import {
  CIRCUIT_REPORT_MS,
  type CircuitLimits,
  circuitLimits,
  MAX_PAUSE_MS,
  PROVIDER_RETRIES,
} from "../retry-policy.ts";
import { failedCall, readRetryAfter, temporary, type Unavailable } from "./answer.ts";
import { CallRefused, ProviderHttpError } from "./http-error.ts";
import {
  createRate,
  createSemaphore,
  type Rate,
  type RateClock,
  type RateLimits,
  type Sharing,
} from "./rate.ts";

/** Limits of the calls to one provider (decisions, "rate limits"). */
export interface CallLimits extends RateLimits, CircuitLimits {
  /** The most calls under way, of all processes together. One process may have twelve times as many waiting. */
  atOnce: number;
}

export const CALL_LIMITS: CallLimits = {
  perSecond: 10,
  perMinute: 500,
  waitMs: 5_000,
  atOnce: 5,
  ...circuitLimits(PROVIDER_RETRIES),
};

export interface CallPolicyOptions {
  limits?: Partial<CallLimits>;
  /**
   * Called when the circuit opens or closes, and once a minute while it stays closed: another process may have reported it as open.
   * @param cause the call that opened it.
   */
  onCircuit?: (state: "open" | "closed", cause?: Unavailable) => void;
  rateClock?: RateClock;
  /** How the limits are shared with other processes that call the provider. */
  sharing?: Sharing;
  /** The provider requested a pause, which other processes have to keep too (milliseconds), or responds again after one (0). */
  onPause?: (ms: number) => void;
}

export interface CallPolicy {
  /** Makes the call when its turn comes. @throws CallRefused when the provider must not be called now. */
  run(call: () => Promise<Response>, signal: AbortSignal, isInteractive?: boolean): Promise<Response>;
  /**
   * Makes a call that may fail on purpose and is not urgent. It takes its turn among the others, at half of the rate at most, and
   * its result does not affect the circuit.
   */
  runApart(call: () => Promise<Response>, signal: AbortSignal): Promise<Response>;
  /** The provider has requested a pause of another process. Milliseconds. */
  pause(ms: number): void;
}

/**
 * The policy that all calls to one provider share. The semaphore is outermost and the breaker innermost. A call that waited for a
 * place or for its turn therefore meets the current state of the circuit, and a call that was never made is no probe.
 */
export function createCallPolicy(options: CallPolicyOptions = {}): CallPolicy {
  const { limits, onCircuit, onPause, rateClock, sharing } = options;
  const all = { ...CALL_LIMITS, ...limits };
  const atOnce = () => Math.max(1, Math.floor(all.atOnce / (sharing?.processes() ?? 1)));
  const semaphore = createSemaphore({ atOnce, waiting: all.atOnce * 12 });
  const rate = createRate(all, rateClock, sharing);
  const apart = createRate({ ...halfOf(all), waitMs: Number.POSITIVE_INFINITY }, rateClock);
  const circuit = createCircuit(all, onCircuit);
  let silentUntil: number | undefined;
  const pause = (ms: number) => {
    const most = Math.min(ms, MAX_PAUSE_MS);
    rate.pause(most);
    silentUntil = Math.max(silentUntil ?? Number.NEGATIVE_INFINITY, performance.now() + most);
  };
  const keepPause = (response: Response) => {
    const ms = askedPause(response);
    if (ms > 0) pause(ms);
    else if (response.status === 429 || silentUntil === undefined || performance.now() < silentUntil) return;
    else silentUntil = undefined;
    onPause?.(ms);
  };
  const call = async (make: () => Promise<Response>, signal: AbortSignal, isInteractive: boolean) => {
    circuit.check();
    await rate.turn(signal, isInteractive);
    circuit.check();
    const response = await circuit.execute(make);
    keepPause(response);
    return response;
  };
  return {
    run: async (make, signal, isInteractive = true) => {
      circuit.check();
      try {
        return await semaphore.hold(() => call(make, signal, isInteractive), signal, isInteractive);
      } catch (error) {
        throw translated(error);
      }
    },
    runApart: async (make, signal) => {
      await apart.turn(signal, false);
      await turnOf(rate, signal);
      const response = await make();
      keepPause(response);
      return response;
    },
    pause,
  };
}

const halfOf = ({ perSecond, perMinute }: RateLimits) => ({
  perSecond: Math.ceil(perSecond / 2),
  perMinute: Math.ceil(perMinute / 2),
});

async function turnOf(rate: Rate, signal: AbortSignal): Promise<void> {
  try {
    await rate.turn(signal, false);
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    await sleep(error.retryAfterMs, undefined, { signal });
    await turnOf(rate, signal);
  }
}

function createCircuit(
  { failures, opensForMs, opensAtMostMs }: CircuitLimits,
  onCircuit?: CallPolicyOptions["onCircuit"],
) {
  /** On the monotonic clock. */
  let openUntil = 0;
  const breaker = circuitBreaker(handleWhen(isNoAnswer).orWhenResult(isNoUsableAnswer), {
    breaker: new ConsecutiveBreaker(failures),
    halfOpenAfter: new DelegateBackoff(({ attempt }: { attempt: number }) => {
      const ms = Math.min(opensAtMostMs, opensForMs * 2 ** (attempt - 1));
      openUntil = performance.now() + ms;
      // The breaker uses the system clock, which may be set: `check` decides, right before each call.
      return Number.NEGATIVE_INFINITY;
    }),
  });
  let reportsAgainAt = Number.NEGATIVE_INFINITY;
  const report = (state: "open" | "closed", cause?: Unavailable) => {
    reportsAgainAt = performance.now() + CIRCUIT_REPORT_MS;
    onCircuit?.(state, cause);
  };
  breaker.onBreak((reason) => report("open", causeOf(reason)));
  breaker.onReset(() => report("closed"));
  return {
    execute: async (make: () => Promise<Response>) => {
      const response = await breaker.execute(make);
      const isWell = breaker.state === CircuitState.Closed && !isNoUsableAnswer(response);
      if (isWell && performance.now() >= reportsAgainAt) report("closed");
      return response;
    },
    /** Refuses calls during a probe: the breaker would let them wait for its outcome, a whole time limit long. */
    check: () => {
      const ms = breaker.state === CircuitState.Open ? openUntil - performance.now() : 0;
      const probes = breaker.state === CircuitState.HalfOpen;
      if (ms <= 0 && !probes) return;
      throw new CallRefused(
        "circuit_open",
        "the provider is not called for now: its last calls got no response",
        probes ? opensForMs : ms,
      );
    },
  };
}

function causeOf(
  reason: { error: unknown } | { value: unknown } | { isolated: true },
): Unavailable | undefined {
  if ("error" in reason && reason.error instanceof ProviderHttpError) return failedCall(reason.error);
  if ("value" in reason && reason.value instanceof Response) return temporary(reason.value, Date.now());
  return undefined;
}

/** An abort by the caller is no sign of the provider's health, and a response that is too long comes from one that responds. */
const isNoAnswer = (error: Error) =>
  error instanceof ProviderHttpError && !error.isAbort && error.failure !== "response_too_long";

/** A 429 comes from a healthy provider. */
const isNoUsableAnswer = (result: unknown) =>
  result instanceof Response && (result.status >= 500 || result.status === 408);

function askedPause({ status, headers }: Response): number {
  return (status === 429 && readRetryAfter(headers.get("retry-after"), Date.now())) || 0;
}

function translated(error: unknown): unknown {
  const isAbort = error instanceof Error && error.name === "AbortError";
  return isAbort
    ? new ProviderHttpError("aborted", "the call was aborted", { cause: error, isAbort })
    : error;
}
