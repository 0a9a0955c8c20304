import type { Message } from "../../../generated/events/types.ts";
import type { Answer, Fault, FaultSettings, OperationId, Outcome, SpoiltCall } from "./fault.ts";
import { faults } from "./registry.ts";

export type FaultName = keyof typeof faults;

/** In the order of the registry. */
export const faultNames = Object.keys(faults) as FaultName[];

export function isFaultName(text: string): text is FaultName {
  return Object.hasOwn(faults, text);
}

/** Which faults are on, and for how long. */
export interface FaultSwitchboard {
  /** Again: with new settings. */
  set(name: FaultName, settings?: FaultSettings): void;
  clear(): void;
  instead(call: Omit<SpoiltCall, "settings">): Outcome | undefined;
  /** Undefined when no fault has anything to rewrite in this operation's answers. */
  rewriter(call: Omit<SpoiltCall, "settings">): ((answer: Answer) => Outcome) | undefined;
  webhooks(event: Message, isEcho: boolean): readonly Message[];
}

interface Active {
  fault: Fault;
  settings: FaultSettings;
  left: number;
}

export function createFaultSwitchboard(): FaultSwitchboard {
  const active = new Map<FaultName, Active>();
  const on = (operationId: OperationId) =>
    [...active.values()].filter((each) => each.left > 0 && spoils(each, operationId));

  return {
    set: (name, settings = {}) => {
      const fault: Fault = faults[name];
      active.set(name, { fault, settings, left: settings.times ?? fault.times ?? Number.POSITIVE_INFINITY });
    },
    clear: () => active.clear(),
    instead: (call) => {
      for (const each of on(call.operationId).filter(({ fault }) => fault.instead)) {
        each.left -= 1;
        const outcome = each.fault.instead?.({ ...call, settings: each.settings });
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    },
    rewriter: (call) => {
      const rewriting = on(call.operationId).filter(({ fault }) => fault.rewrite);
      if (rewriting.length === 0) return undefined;
      for (const each of rewriting) each.left -= 1;
      return (answer) => rewriting.reduce<Outcome>((outcome, each) => rewritten(outcome, each, call), answer);
    },
    webhooks: (event, isEcho) => {
      const rewriting = [...active.values()].filter(({ left, fault }) => left > 0 && fault.webhooks);
      for (const each of rewriting) each.left -= 1;
      return rewriting.reduce<readonly Message[]>(
        (events, { fault }) => events.flatMap((each) => fault.webhooks?.(each, isEcho) ?? [each]),
        [event],
      );
    },
  };
}

function spoils({ fault, settings }: Active, operationId: OperationId): boolean {
  const isAmong = (operations: readonly OperationId[] | undefined) =>
    operations?.includes(operationId) ?? true;
  return isAmong(fault.operations) && isAmong(settings.operations);
}

function rewritten(
  outcome: Outcome,
  { fault, settings }: Active,
  call: Omit<SpoiltCall, "settings">,
): Outcome {
  if (typeof outcome === "string" || !fault.rewrite) return outcome;
  return fault.rewrite(outcome, { ...call, settings });
}
