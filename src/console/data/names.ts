import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Candidate, Competence, Integration, Workplace } from "../../../generated/operations/types.ts";
import { api } from "./api.ts";
import { onMessage, type StreamMessage } from "./live.ts";
import { ask } from "./trouble.ts";
import { readAll } from "./use-pages.ts";

/** The names behind ids. Undefined: not read yet, or deleted. */
export interface Names {
  integration(providerId: string): Integration | undefined;
  workplace(workplaceId: string | undefined): Workplace | undefined;
  competence(competenceId: string | undefined): Competence | undefined;
  candidate(candidateId: string): Candidate | undefined;
  /** All of each kind, sorted by name, for filters and selects. */
  integrations: Integration[];
  workplaces: Workplace[];
  competences: Competence[];
  /** False until the first read has ended. */
  areRead: boolean;
}

interface Known {
  integrations: ReadonlyMap<string, Integration>;
  workplaces: ReadonlyMap<string, Workplace>;
  competences: ReadonlyMap<string, Competence>;
  areRead: boolean;
}

const NOTHING: Known = {
  integrations: new Map(),
  workplaces: new Map(),
  competences: new Map(),
  areRead: false,
};
const PAGE = 200;
/** Names that several rows miss at once are read together. Milliseconds. */
const GATHER_MS = 50;

const known = signal(NOTHING);
/** There may be many candidates: only the first page and those that a page shows are read. */
const people = signal<ReadonlyMap<string, Candidate>>(new Map());
/** Ids that were requested already; requested again after a gap. */
const asked = new Set<string>();
let isFollowing = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The names, read once for all pages, and again when a page shows an id without a name. */
export function useNames(): Names {
  useEffect(follow, []);
  const { integrations, workplaces, competences, areRead } = known.value;
  const candidates = people.value;
  return {
    integration: (id) => integrations.get(id) ?? lacking(id),
    workplace: (id) => (id === undefined ? undefined : (workplaces.get(id) ?? lacking(id))),
    competence: (id) => (id === undefined ? undefined : (competences.get(id) ?? lacking(id))),
    candidate: (id) => candidates.get(id) ?? lackingPerson(id),
    integrations: byName(integrations),
    workplaces: byName(workplaces),
    competences: byName(competences),
    areRead,
  };
}

/** Call it after adding or renaming something: the stream has no messages about these lists. */
export async function readNamesAgain(): Promise<void> {
  asked.clear();
  await Promise.all([readLists(), readFirstCandidates()]);
}

export function fullName({ firstName, lastName }: Pick<Candidate, "firstName" | "lastName">): string {
  return `${firstName} ${lastName}`.trim();
}

function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  onMessage(handle);
  void readNamesAgain();
}

function handle({ type }: StreamMessage): void {
  if (type === "gap") void readNamesAgain();
  // An import sends many messages; the new candidates are read when a page shows them.
  if (type === "import") asked.clear();
}

async function readLists(): Promise<void> {
  const page = (cursor?: string) => ({ params: { query: { limit: PAGE, ...(cursor && { cursor }) } } });
  // Without names the pages show ids, so a failure is not reported. A gap reads them again.
  const [integrations, workplaces, competences] = await Promise.allSettled([
    readAll((cursor) => ask(api.listIntegrations(page(cursor)))),
    readAll((cursor) => ask(api.listWorkplaces(page(cursor)))),
    readAll((cursor) => ask(api.listCompetences(page(cursor)))),
  ]);
  const before = known.value;
  known.value = {
    integrations: mapped(integrations, ({ providerId }) => providerId) ?? before.integrations,
    workplaces: mapped(workplaces, ({ workplaceId }) => workplaceId) ?? before.workplaces,
    competences: mapped(competences, ({ competenceId }) => competenceId) ?? before.competences,
    areRead: true,
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

/** The id was added after the last read, so the lists are read once more. */
function lacking(id: string): undefined {
  if (!known.value.areRead || asked.has(id)) return;
  asked.add(id);
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void readLists();
  }, GATHER_MS);
}

function lackingPerson(candidateId: string): undefined {
  if (asked.has(candidateId)) return;
  asked.add(candidateId);
  void ask(api.getCandidate({ params: { path: { candidateId } } })).then(
    (candidate) => addPeople([candidate]),
    () => undefined,
  );
}

function mapped<T>(outcome: PromiseSettledResult<T[]>, idOf: (item: T) => string) {
  if (outcome.status === "rejected") return undefined;
  return new Map(outcome.value.map((item) => [idOf(item), item]));
}

function byName<T extends { name: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((one, other) => one.name.localeCompare(other.name));
}
