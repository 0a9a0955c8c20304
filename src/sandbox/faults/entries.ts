import { type Answer, isSuccess } from "./fault.ts";

export type Entry = Readonly<Record<string, unknown>>;

/** A shift, a candidate, an entry of a list or of the registry. */
const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Changes each object of a successful response, single or in a list. */
export function changeEntries(answer: Answer, change: (entry: Entry) => unknown): Answer {
  return changeBody(answer, (body) =>
    isEntry(body) && !Array.isArray(body.candidates)
      ? change(body)
      : changeListed(body, (entries) => entries.map((entry) => change(entry))),
  );
}

/** Changes the list of a successful response or of a registry page; other bodies are unchanged. */
export function changeList(answer: Answer, change: (entries: readonly Entry[]) => unknown): Answer {
  return changeBody(answer, (body) => changeListed(body, change));
}

function changeListed(body: unknown, change: (entries: readonly Entry[]) => unknown): unknown {
  if (Array.isArray(body)) return change(body);
  return isEntry(body) && Array.isArray(body.candidates)
    ? { ...body, candidates: change(body.candidates) }
    : body;
}

function changeBody(answer: Answer, change: (body: unknown) => unknown): Answer {
  return isSuccess(answer) && answer.body !== undefined ? { ...answer, body: change(answer.body) } : answer;
}

/** Changes those of the members that are present. */
export function changeMembers(
  entry: Entry,
  names: readonly string[],
  change: (value: unknown) => unknown,
): Entry {
  const changed = names.filter((name) => name in entry).map((name) => [name, change(entry[name])]);
  return { ...entry, ...Object.fromEntries(changed) };
}

export function without(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}
