import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type {
  Candidate,
  Competence,
  Integration,
  Job,
  Membership,
  Workplace,
} from "../../../generated/operations/types.ts";
import { knownZones } from "../components/time.tsx";
import { api } from "./api.ts";
import { ask } from "./errors.ts";
import { onMessage, type StreamMessage } from "./live.ts";
import { type PageQuery, readPages } from "./pages.ts";

/** The names behind ids. Undefined: not read yet, or deleted. */
export interface Names {
  integration(providerId: string): Integration | undefined;
  workplace(workplaceId: string | undefined): Workplace | undefined;
  competence(competenceId: string | undefined): Competence | undefined;
  candidate(candidateId: string): Candidate | undefined;
  job(jobId: string): Job | undefined;
  /** All of each kind, sorted by name, for filters and selects. */
  integrations: Integration[];
  workplaces: Workplace[];
  competences: Competence[];
  /** False until the first read has ended. */
  areLoaded: boolean;
}

interface Known {
  integrations: ReadonlyMap<string, Integration>;
  workplaces: ReadonlyMap<string, Workplace>;
  competences: ReadonlyMap<string, Competence>;
  areLoaded: boolean;
}

const NOTHING: Known = {
  integrations: new Map(),
  workplaces: new Map(),
  competences: new Map(),
  areLoaded: false,
};
const PAGE = 200;
/** The most people that one call names. */
const MOST_IDS = 100;
/** Names that several rows miss at once are read together. Milliseconds. */
const GATHER_MS = 50;

const known = signal(NOTHING);
/** There may be many candidates: only the first page and those that a page shows are read. */
const people = signal<ReadonlyMap<string, Candidate>>(new Map());
const jobs = signal<ReadonlyMap<string, Job>>(new Map());
/** Ids that were requested already. A gap clears them. */
const requested = new Set<string>();
const reading = new Set<Promise<void>>();
let isFollowing = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The names, read once for all pages, and again when a page shows an id without a name. */
export function useNames(): Names {
  useEffect(follow, []);
  const { integrations, workplaces, competences, areLoaded } = known.value;
  return {
    integration: (id) => integrations.get(id) ?? requestAgain(id),
    workplace: (id) => (id === undefined ? undefined : (workplaces.get(id) ?? requestAgain(id))),
    competence: (id) => (id === undefined ? undefined : (competences.get(id) ?? requestAgain(id))),
    candidate: (id) => people.value.get(id) ?? requestCandidate(id),
    job: (id) => jobs.value.get(id) ?? requestJob(id),
    ...sorted.value,
    areLoaded,
  };
}

/** Sorted once: many rows of a page ask for names, and there may be thousands. */
const sorted = computed(() => ({
  integrations: byName(known.value.integrations),
  workplaces: byName(known.value.workplaces),
  competences: byName(known.value.competences),
}));

/** Reads the names again after a change to these lists, about which the stream has no messages. */
export async function reloadNames(): Promise<void> {
  requested.clear();
  await Promise.all([readLists(), readFirstCandidates()]);
}

/** The work: the competence on the platform, or the role as the provider names it. */
export function workOf(job: Pick<Job, "competenceId" | "roleName" | "roleId">, names: Names): string {
  return names.competence(job.competenceId)?.name ?? job.roleName ?? `role ${shortened(job.roleId)}`;
}

/** The place: the workplace on the platform, or the outlet as the provider names it. */
export function placeOf(job: Pick<Job, "workplaceId" | "outletName" | "outletId">, names: Names): string {
  return names.workplace(job.workplaceId)?.name ?? job.outletName ?? `outlet ${shortened(job.outletId)}`;
}

/** `Cook, Waiter`; `none` without one. Of a person those of the company, of a membership those of the registry. */
export function competencesOf({ competenceIds }: Pick<Candidate, "competenceIds">, names: Names): string {
  const known = competenceIds.map((id) => names.competence(id)?.name ?? id);
  return known.length === 0 ? "none" : known.sort((one, other) => one.localeCompare(other)).join(", ");
}

function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  onMessage(handle);
  void reloadNames();
}

function handle({ type }: StreamMessage): void {
  if (type === "gap") void reloadNames();
  // An import sends many messages; the new candidates are read when a page shows them.
  if (type === "import") requested.clear();
}

async function readLists(): Promise<void> {
  const options = (page: PageQuery) => ({ params: { query: { limit: PAGE, ...page } } });
  // Without names the pages show ids, so a failure is not reported. A gap reads them again.
  const [integrations, workplaces, competences] = await Promise.allSettled([
    readPages((page) => ask(api.listIntegrations(options(page)))),
    readPages((page) => ask(api.listWorkplaces(options(page)))),
    readPages((page) => ask(api.listCompetences(options(page)))),
  ]);
  if (integrations.status === "fulfilled")
    knownZones.value = [...new Set(integrations.value.items.map(({ timeZone }) => timeZone))];
  const before = known.value;
  known.value = {
    integrations: mapped(integrations, ({ providerId }) => providerId) ?? before.integrations,
    workplaces: mapped(workplaces, ({ workplaceId }) => workplaceId) ?? before.workplaces,
    competences: mapped(competences, ({ competenceId }) => competenceId) ?? before.competences,
    areLoaded: true,
  };
}

async function readFirstCandidates(): Promise<void> {
  const page = await ask(api.listCandidates({ params: { query: { limit: PAGE } } })).catch(() => undefined);
  if (page) addPeople(page.items);
}

function addPeople(read: Candidate[]): void {
  const together = new Map(people.value);
  for (const candidate of read) together.set(candidate.candidateId, candidate);
  people.value = together;
}

/** Reads the lists once more for an id that was added after the last read. */
function requestAgain(id: string): undefined {
  if (!known.value.areLoaded || requested.has(id)) return;
  requested.add(id);
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void readLists();
  }, GATHER_MS);
}

const wanted: string[] = [];

/** A page shows many people, and a file thousands: they are not read one at a time. */
function requestCandidate(candidateId: string): undefined {
  if (requested.has(candidateId)) return;
  requested.add(candidateId);
  wanted.push(candidateId);
  if (wanted.length > 1) return;
  track(new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(readWanted));
}

async function readWanted(): Promise<void> {
  const ids = wanted.splice(0);
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const query = { candidateId: ids.slice(from, from + MOST_IDS), limit: MOST_IDS };
    addPeople((await ask(api.listCandidates({ params: { query } }))).items);
  }
}

const requestJob = (jobId: string): undefined =>
  request(jobId, async () => {
    const job = await ask(api.getJob({ params: { path: { jobId } } }));
    jobs.value = new Map(jobs.value).set(jobId, job);
  });

function request(id: string, readOne: () => Promise<void>): undefined {
  if (requested.has(id)) return;
  requested.add(id);
  track(readOne());
}

function track(reads: Promise<void>): void {
  const read = reads.catch(() => undefined);
  reading.add(read);
  void read.then(() => reading.delete(read));
}

/** Whether there were candidates whose names had to be waited for. */
export async function whenNamesAreRead(): Promise<boolean> {
  const waits = reading.size > 0;
  await Promise.all(reading);
  return waits;
}

function mapped<T>(outcome: PromiseSettledResult<{ items: T[] }>, idOf: (item: T) => string) {
  if (outcome.status === "rejected") return undefined;
  return new Map(outcome.value.items.map((item) => [idOf(item), item]));
}

function byName<T extends { name: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((one, other) => one.name.localeCompare(other.name));
}

export function fullName({ firstName, lastName }: Pick<Candidate, "firstName" | "lastName">): string {
  return `${firstName} ${lastName}`.trim();
}

/**
 * The name of a candidate as it is valid for an organisation; the short id of one who was erased, or whom only the registry of another organisation
 * names. Without an organisation, the name in the list of people.
 */
export function nameOf(
  candidateId: string,
  { candidate }: { candidate(candidateId: string): Candidate | undefined },
  providerId: string | undefined,
): string {
  const known = validFor(candidate(candidateId), providerId);
  return known ? fullName(known) : `candidate ${shortened(candidateId)}`;
}

/** What is valid for an organisation: what the company asserts, otherwise what its own registry does. */
export function validFor(
  person: Candidate | undefined,
  providerId: string | undefined,
): Candidate | Membership | undefined {
  if (person === undefined || person.shared || providerId === undefined) return person;
  return person.memberships.find((each) => each.providerId === providerId);
}

const shortened = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id);
