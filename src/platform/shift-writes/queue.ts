import type { JobChange } from "../../../generated/operations/types.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

export const SHIFT_WRITES_QUEUE = "shift_writes";

/** A call that changes a shift at its provider, or tells what came of one. */
export type ShiftWrite =
  | { kind: "cancel"; operationId: string }
  /** `named`: only what the person named, so that a change asked for before it is kept. */
  | { kind: "change"; changeId: string; named: JobChange }
  /** The provider confirmed the change, and what the shift is by now is read. */
  | { kind: "read_back"; changeId: string };

/** Queues a PUT or a DELETE: those of one shift run one after the other, in the order in which they were asked for. */
export async function enqueueShiftWrite(
  trx: Trx,
  { queue }: Deps,
  { provider_id, shift_id }: Pick<Job, "provider_id" | "shift_id">,
  data: ShiftWrite,
): Promise<void> {
  const task = { key: `${provider_id}:${shift_id}`, group: provider_id, data };
  await queue.enqueue<ShiftWrite>(trx, SHIFT_WRITES_QUEUE, task);
}
