import type { Message } from "../../../generated/events/types.ts";
import type { Answer, Call, Fault, FaultSettings, OperationId, Outcome } from "./fault.ts";
import { faults, successorOf } from "./registry.ts";

export type FaultName = keyof typeof faults;

/** In the order of the registry. */
export const faultNames = Object.keys(faults) as FaultName[];

const isFaultName = (text: string): text is FaultName => Object.hasOwn(faults, text);

/**
 * @param others what to say about a name that the sandbox never had
 * @throws Error in one line for a name that the sandbox does not have; a removed fault names what replaces it
 */
export function faultNamed(text: string, others = ""): FaultName {
  if (isFaultName(text)) return text;
  const [name, successor] = [JSON.stringify(text), successorOf(text)];
  throw new Error(
    successor === undefined
      ? `there is no fault ${name}${others}`
      : `the sandbox no longer has the fault ${name}: ${successor}`,
  );
}

export type AnyCall = Omit<Call, "settings">;
/** Changes the router's response. */
export type Rewriter = (answer: Answer) => Outcome;

/** Activates faults, and applies the active ones to calls and events. */
export interface FaultSwitchboard {
  /** Activates the fault, or replaces its settings. @throws Error for an unknown name */
  set(name: FaultName, settings?: FaultSettings): void;
  clear(): void;
  /** Called once for each call. Returns a response in place of the handler's, a rewriter of it, or undefined. */
  intercept(call: AnyCall): Outcome | Rewriter | undefined;
  webhooks(event: Message, isEcho: boolean): readonly Message[];
}

interface Active {
  fault: Fault;
  settings: FaultSettings;
  left: number;
  /** End of the fault, by `performance.now`. */
  until: number;
  /** Calls so far. */
  seen: Map<OperationId, number>;
}

export function createFaultSwitchboard(): FaultSwitchboard {
  const active = new Map<FaultName, Active>();
  const left = () => [...active.values()].filter((each) => each.left > 0 && performance.now() < each.until);

  return {
    set: (name, settings = {}) => {
      const fault: Fault = faults[faultNamed(name)];
      const times = settings.times ?? fault.times ?? Number.POSITIVE_INFINITY;
      const until = performance.now() + (settings.forMs ?? Number.POSITIVE_INFINITY);
      active.set(name, { fault, settings, left: times, until, seen: new Map() });
    },
    clear: () => active.clear(),
    intercept: (call) => {
      const applied = left().filter((each) => applies(each, call.operationId) && isTurn(each, call));
      return insteadOf(applied, call) ?? rewriterOf(applied, call);
    },
    webhooks: (event, isEcho) => {
      const rewriting = left().filter(({ fault }) => fault.webhooks);
      for (const each of rewriting) each.left -= 1;
      return rewriting.reduce<readonly Message[]>(
        (events, { fault }) => events.flatMap((each) => fault.webhooks?.(each, isEcho) ?? [each]),
        [event],
      );
    },
  };
}

function applies({ fault, settings }: Active, operationId: OperationId): boolean {
  const isAmong = (operations: readonly OperationId[] | undefined) =>
    operations?.includes(operationId) ?? true;
  return isAmong(fault.operations) && isAmong(settings.operations);
}

/** Counts the call, and returns whether the fault applies to it. */
function isTurn({ fault, settings, seen }: Active, { operationId }: AnyCall): boolean {
  const turn = (seen.get(operationId) ?? 0) + 1;
  seen.set(operationId, turn);
  return turn % (settings.every ?? fault.every ?? 1) === 0;
}

function insteadOf(applied: readonly Active[], call: AnyCall): Outcome | undefined {
  for (const each of applied.filter(({ fault }) => fault.instead)) {
    each.left -= 1;
    const outcome = each.fault.instead?.({ ...call, settings: each.settings });
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

function rewriterOf(applied: readonly Active[], call: AnyCall): Rewriter | undefined {
  const rewriters = applied.flatMap((each) => {
    const { rewrite, around } = each.fault;
    if (!rewrite && !around) return [];
    each.left -= 1;
    const intercepted = { ...call, settings: each.settings };
    return [around?.(intercepted) ?? ((answer: Answer) => rewrite?.(answer, intercepted) ?? answer)];
  });
  if (rewriters.length === 0) return undefined;
  return (answer) =>
    rewriters.reduce<Outcome>(
      (outcome, each) => (typeof outcome === "string" ? outcome : each(outcome)),
      answer,
    );
}
