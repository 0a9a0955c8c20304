import * as memory from "../../scripts/simulate/commands.ts";
import { acceptAbsence, resume } from "../../scripts/simulate/integration.ts";
import type { Rest, Store, WorkRow } from "../../scripts/simulate/store.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { replayEvent } from "../../src/platform/inbox/replay.ts";
import { activate, suspend } from "../../src/platform/integrations/change.ts";
import { acceptDisappearance, end } from "../../src/platform/integrations/conditions.ts";
import { updateMappings } from "../../src/platform/integrations/mapped-lists.ts";
import { accept, withdraw } from "../../src/platform/jobs/accept.ts";
import { requestCancellation, requestChange } from "../../src/platform/jobs/change.ts";
import { transact } from "../../src/platform/transaction.ts";
import { endClaim } from "../../src/platform/work/rows.ts";

/** A command on both sides. */
export interface Command {
  name: string;
  /** Returns why it was rejected. */
  inMemory(store: Store, now: number): memory.Rejected;
  inSql(deps: Deps, providerId: string, toSql: (id: string) => string): Promise<unknown>;
}

/** Returns the command that is tried at a step: another one each time. */
export function commandAt(store: Store, shiftId: string, nth: number): Command | undefined {
  const one = <Value>(values: Iterable<Value>, every: number) => {
    const all = [...values];
    return all[Math.floor(nth / every) % all.length];
  };
  const [job, candidateId] = [one(store.jobs.values(), 7), one(store.competences.keys(), 3)];
  const event = store.events.findLast(({ status }) => status !== "queued");
  const outlets = [...store.outlets].flatMap(([id, workplaceId]) => (workplaceId === null ? [id] : []));
  if (!job || !candidateId) return undefined;
  const { jobId } = job;
  const pending = store.changes.findLast((each) => each.shiftId === job.shiftId && each.status === "pending");
  const { startTime, endTime } = pending ?? job;
  const times = (byMs: number) => ({
    startTime: new Date(startTime + byMs).toISOString(),
    endTime: new Date(endTime + byMs).toISOString(),
  });
  const change = (byMs: number | undefined, positions: number | undefined): Command => ({
    name: `change ${job.shiftId} by ${byMs} to ${positions}`,
    inMemory: (copy, now) => memory.change(copy, job.shiftId, { byMs, positions }, now),
    inSql: (deps, _, toSql) =>
      requestChange(deps, toSql(jobId), {
        ...(byMs !== undefined && times(byMs)),
        ...(positions !== undefined && { positions }),
      }),
  });
  const commands: (Command | undefined)[] = [
    {
      name: `accept ${job.shiftId} ${candidateId}`,
      inMemory: (copy, now) => memory.accept(copy, job.shiftId, candidateId, now),
      inSql: (deps, _, toSql) => accept(deps, { jobId: toSql(jobId), candidateId: toSql(candidateId) }),
    },
    {
      name: `withdraw ${job.shiftId} ${candidateId}`,
      inMemory: (copy, now) => memory.withdraw(copy, job.shiftId, candidateId, now),
      inSql: (deps, _, toSql) => withdraw(deps, { jobId: toSql(jobId), candidateId: toSql(candidateId) }),
    },
    {
      name: `cancel ${job.shiftId}`,
      inMemory: (copy, now) => memory.cancel(copy, job.shiftId, now),
      inSql: (deps, _, toSql) => requestCancellation(deps, toSql(jobId)),
    },
    change(-30 * HOUR_MS, undefined),
    change(HOUR_MS, 2),
    change(undefined, 1),
    event && {
      name: `replay ${event.eventId}`,
      inMemory: memory.replay,
      inSql: (deps, _, toSql) => replayEvent(deps, toSql(event.eventId)),
    },
    {
      name: `map ${outlets}`,
      inMemory: (copy, now) => void memory.mapOutlets(copy, now),
      inSql: (deps, providerId, toSql) => {
        const mapped = outlets.map((outletId) => ({ outletId, workplaceId: toSql(`w-${outletId}`) }));
        return updateMappings(deps, providerId, { outlets: mapped, roles: [] });
      },
    },
    { name: "suspend", inMemory: (copy) => void memory.suspend(copy), inSql: suspend },
    { name: "activate", inMemory: (copy, now) => void memory.activate(copy, now), inSql: activate },
    {
      name: "rotate",
      inMemory: (copy, now) => void resume(copy, now),
      inSql: (deps, providerId) => transact(deps, (trx) => end(trx, deps, providerId, "token_rejected")),
    },
    {
      name: "accept the absence",
      inMemory: (copy, now) => void acceptAbsence(copy, now),
      inSql: (deps, providerId) => transact(deps, (trx) => acceptDisappearance(trx, deps, providerId)),
    },
  ];
  commands.push(endOf(store.work.get(`shift ${shiftId}`), nth));
  return one(commands, 1);
}

/** The end of the run of the step, in one of the ways in which runs end, and with or without a hint during the run. */
function endOf(work: WorkRow | undefined, nth: number): Command | undefined {
  if (!work || work.claim === null) return undefined;
  const { kind, key, attempts, priority, claim } = work;
  const revision = work.revision - (nth % 2);
  const ways: Rest[] = [
    { priority: 2, attempts: 0 },
    { afterMs: 5_000, priority: 2, attempts: 0 },
    { afterMs: 400, priority: 0, attempts },
    { afterMs: 5_000, priority: 2, attempts },
    { afterMs: 5_000, priority: 2, attempts: 0, isFirm: true },
  ];
  const rest = ways[nth % ways.length];
  if (!rest) return undefined;
  return {
    name: `end ${JSON.stringify(rest)}, revision ${revision} of ${work.revision}`,
    inMemory: (copy, now) => {
      const row = copy.work.get(`${kind} ${key}`);
      if (row) copy.endClaim(row, revision, rest, now);
      return undefined;
    },
    inSql: (deps, providerId, toSql) => {
      const held = { providerId, kind, key, priority, attempts, claim: toSql(`claim${claim}`), revision };
      return transact(deps, (trx) => endClaim(trx, held, rest));
    },
  };
}
