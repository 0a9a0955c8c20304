import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { onMessage, type StreamMessage } from "../data/live.ts";

export interface ShiftKey {
  providerId: string;
  shiftId: string;
}

/** A browser sends few calls at a time, and a page needs some for its other reads. */
const AT_ONCE = 4;

const known = signal<ReadonlyMap<string, string>>(new Map());
/** A shift without a job is not looked up again: the stream reports its job. */
const requested = new Set<string>();

/** Returns how to find the jobId of a shift; undefined until it is known. Each shift is looked up once. */
export function useJobIds(shifts: readonly ShiftKey[]): (shift: ShiftKey) => string | undefined {
  useEffect(() => onMessage(handle), []);
  const keys = shifts.map(keyOf).join("\n");
  useEffect(() => void lookUp(shifts), [keys]);
  const jobIds = known.value;
  return (shift) => jobIds.get(keyOf(shift));
}

const keyOf = ({ providerId, shiftId }: ShiftKey) => `${providerId} ${shiftId}`;

function handle({ type, data }: StreamMessage): void {
  if (type === "gap") requested.clear();
  if (type === "job")
    add([{ providerId: `${data.providerId}`, shiftId: `${data.shiftId}` }, `${data.jobId}`]);
}

async function lookUp(shifts: readonly ShiftKey[]): Promise<void> {
  const missing = shifts.filter((shift) => !known.value.has(keyOf(shift)) && !requested.has(keyOf(shift)));
  const once = [...new Map(missing.map((shift) => [keyOf(shift), shift])).values()];
  for (const key of once.map(keyOf)) requested.add(key);
  for (let start = 0; start < once.length; start += AT_ONCE) {
    const found = await Promise.all(once.slice(start, start + AT_ONCE).map(findJobId));
    add(...found.filter((each) => each !== undefined));
  }
}

async function findJobId({ providerId, shiftId }: ShiftKey): Promise<Found | undefined> {
  const query = { providerId, shiftId, limit: 1 };
  // Without a job the id of the shift is no link, so a failure is not reported.
  const page = await ask(api.listJobs({ params: { query } })).catch(() => undefined);
  const job = page?.items[0];
  return job && [{ providerId, shiftId }, job.jobId];
}

type Found = readonly [ShiftKey, string];

function add(...found: readonly Found[]): void {
  if (found.every(([shift, jobId]) => known.value.get(keyOf(shift)) === jobId)) return;
  known.value = new Map([...known.value, ...found.map(([shift, jobId]) => [keyOf(shift), jobId] as const)]);
}
