import { createClient } from "../../generated/operations/client.ts";
import { schemas } from "../../generated/provider/validators.js";
import { onboard } from "../../test/harness/organisation.ts";
import { createLoad, type Load, PERSISTENT_SCHEDULE } from "./load.ts";

/** Interrupts a provider call after its effect and before its response. */
export interface CallHook {
  /** Calls back before the response to the `calls`th call from now. Returns a function that cancels it. */
  inCall(calls: number, then: () => void): () => void;
  /** Called with each JSON response. */
  responded(): void;
}

export function createCallHook(): CallHook {
  let waiting: { calls: number; then: () => void } | undefined;
  return {
    inCall: (calls, then) => {
      waiting = { calls, then };
      return () => {
        waiting = undefined;
      };
    },
    responded: () => {
      if (waiting) waiting.calls -= 1;
      if (waiting?.calls === 0) {
        waiting.then();
        waiting = undefined;
      }
    },
  };
}

/** Onboards an organisation on the platform at `url`, whose provider's responses pass the hook. */
export async function onboardProvider(url: string, token: string, callHook: CallHook): Promise<Load> {
  const headers = { Authorization: `Bearer ${token}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const platform = { url, idle: async () => undefined };
  let load: Load | undefined;
  const organisation = await onboard(
    { platform, operations },
    {
      rewrite: (body) => {
        if (load) note(load, body);
        callHook.responded();
        return body;
      },
      dialect: { assignEchoes: true },
      webhooks: { schedule: PERSISTENT_SCHEDULE, timeoutMs: 2_000 },
    },
  );
  load = createLoad(organisation);
  return load;
}

function note({ assigned, organisation, record }: Load, body: unknown): void {
  if (!schemas.Assignment(body)) return;
  const { shiftId, candidateId } = body;
  if (shiftId === undefined || candidateId === undefined) return;
  assigned.push({ shiftId, candidateId, at: organisation.calls.length, marks: record.faults.length });
}
