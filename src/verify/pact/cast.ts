import { personOf, prepare } from "../person.ts";
import type { Run } from "../run.ts";
import { unassign } from "../seat.ts";
import { assignedIds, readShiftOf } from "../shift.ts";

/** The test people of the replay: the run's own person, and somebody else. */
export interface Cast {
  first(): Promise<string | undefined>;
  second(): Promise<string | undefined>;
  /** Somebody whom a replayed interaction created need not be created again. */
  remember(candidateId: string): void;
  /** Takes the second one off the shift; `restore` does so for the first. */
  leave(): Promise<void>;
}

export function castOf(run: Run): Cast {
  let other: Promise<string | undefined> | undefined;
  return {
    first: async () => (await personOf(run)).candidateId,
    second: () => {
      other ??= Promise.resolve(run.known.hiredId ?? create(run));
      return other;
    },
    remember: (candidateId) => {
      other ??= Promise.resolve(candidateId);
    },
    leave: async () => {
      const { shiftId } = run.fixtures;
      const candidateId = await other;
      if (shiftId === undefined || candidateId === undefined) return;
      if (assignedIds(await readShiftOf(run, shiftId))?.includes(candidateId)) {
        await unassign(run, { shiftId, candidateId });
      }
    },
  };
}

async function create(run: Run): Promise<string | undefined> {
  return run.mayChange ? (await prepare(run, "second person")).candidateId : undefined;
}
