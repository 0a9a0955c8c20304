import { createClient } from "../../generated/operations/client.ts";
import { schemas } from "../../generated/provider/validators.js";
import { onboard } from "../../test/harness/organisation.ts";
import { gather, type Load, STUBBORN } from "./load.ts";

/** Lets somebody step in between what a provider does and what it answers. */
export interface Gate {
  /** Calls back before the answer of the `calls`th call from now. Answers what takes that back. */
  inCall(calls: number, then: () => void): () => void;
  /** Called with each JSON answer. */
  pass(): void;
}

export function createGate(): Gate {
  let waiting: { calls: number; then: () => void } | undefined;
  return {
    inCall: (calls, then) => {
      waiting = { calls, then };
      return () => {
        waiting = undefined;
      };
    },
    pass: () => {
      if (waiting) waiting.calls -= 1;
      if (waiting?.calls === 0) {
        waiting.then();
        waiting = undefined;
      }
    },
  };
}

/** An organisation on the platform at `url`, whose provider's answers pass the gate. */
export async function settleIn(url: string, token: string, gate: Gate): Promise<Load> {
  const headers = { Authorization: `Bearer ${token}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const platform = { url, idle: async () => undefined };
  let load: Load | undefined;
  const organisation = await onboard(
    { platform, operations },
    {
      rewrite: (body) => {
        if (load) note(load, body);
        gate.pass();
        return body;
      },
      dialect: { assignEchoes: true },
      webhooks: { schedule: STUBBORN, timeoutMs: 2_000 },
    },
  );
  load = gather(organisation);
  return load;
}

function note({ assigned, organisation, said }: Load, body: unknown): void {
  if (!schemas.Assignment(body)) return;
  const { shiftId, candidateId } = body;
  if (shiftId === undefined || candidateId === undefined) return;
  assigned.push({ shiftId, candidateId, at: organisation.calls.length, marks: said.faults.length });
}
