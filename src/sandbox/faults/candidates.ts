import { randomUUID } from "node:crypto";
import type { StoredCandidate } from "../organisation.ts";
import { changeEntries, changeList, changeMembers, type Entry, isEntry } from "./entries.ts";
import { type Answer, type Faults, isSuccess, json, problemAnswer, type SpoiltCall } from "./fault.ts";
import { organisationOf } from "./tenant.ts";

const LATE_MS = 2_000;

/** Candidates are not found, not kept or not told as they are; nor is the registry. */
export const candidateFaults = {
  "candidate-race": {
    summary: "409 to a creation, because somebody was quicker; a lookup then finds the candidate (once)",
    operations: ["createCandidate"],
    times: 1,
    rewrite: () => problemAnswer("candidate_exists"),
  },
  "two-candidates": {
    summary: "a lookup that finds a person finds a second one with the same number",
    operations: ["findCandidates"],
    rewrite: (answer) =>
      changeList(answer, (found) => found.flatMap((each) => [each, { ...each, id: randomUUID() }])),
  },
  "foreign-candidate": {
    summary: "a lookup ignores its query and finds everybody",
    operations: ["findCandidates"],
    instead: ({ request }) => {
      request.url = request.path;
      return undefined;
    },
  },
  "lookup-by-century": {
    summary: "a lookup finds everybody whose number begins with the same two digits",
    operations: ["findCandidates"],
    around: ({ request }) => {
      const { personalNumber } = request.query;
      if (typeof personalNumber === "string") request.url = request.path;
      return (answer) => changeList(answer, (found) => found.filter((each) => isLike(each, personalNumber)));
    },
  },
  "lookup-finds-nobody": {
    summary: "a lookup finds nobody",
    operations: ["findCandidates"],
    rewrite: (answer) => (isSuccess(answer) ? json(200, []) : answer),
  },
  "lookup-refuses-hyphen": {
    summary: "400 to a lookup of YYYYMMDD-XXXX",
    operations: ["findCandidates"],
    instead: ({ request }) =>
      isHyphenated(request.query.personalNumber) ? problemAnswer("validation_failed") : undefined,
  },
  "lookup-misses-hyphen": {
    summary: "a lookup of YYYYMMDD-XXXX finds nobody",
    operations: ["findCandidates"],
    instead: ({ request, forms }) => {
      if (!isHyphenated(request.query.personalNumber)) return undefined;
      return forms.notFound === "404" ? problemAnswer("candidate_not_found") : json(200, []);
    },
  },
  "lookup-invalid": {
    summary: "400 to a lookup of somebody who is not there",
    operations: ["findCandidates"],
    rewrite: (answer) => (isEmpty(answer) ? problemAnswer("validation_failed") : answer),
  },
  "lookup-null": {
    summary: "null in place of an empty list",
    operations: ["findCandidates"],
    rewrite: (answer) => (isEmpty(answer) ? json(200, null) : answer),
  },
  "not-found-mixed": {
    summary: "each second lookup that finds nobody has the other form of saying so",
    operations: ["findCandidates"],
    every: 2,
    rewrite: (answer) => {
      if (!isEmpty(answer)) return answer;
      return answer.status === 404 ? json(200, []) : problemAnswer("candidate_not_found");
    },
  },
  "candidate-id-changes": {
    summary: "a candidate has another id each time",
    operations: ["findCandidates"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, id: randomUUID() })),
  },
  "created-another": {
    summary: "the created candidate has somebody else's personal number",
    operations: ["createCandidate"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, personalNumber: "197603212387" })),
  },
  "created-under-another-id": {
    summary: "a creation answers with an id that lookups do not",
    operations: ["createCandidate"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, id: randomUUID() })),
  },
  "create-not-stored": {
    summary: "a creation is acknowledged and not stored",
    operations: ["createCandidate"],
    around: (call) => {
      const candidates = organisationOf(call)?.candidates;
      const before = new Set(candidates?.keys());
      return (answer) => {
        for (const id of candidates?.keys() ?? []) if (!before.has(id)) candidates?.delete(id);
        return answer;
      };
    },
  },
  "create-late": {
    summary: "a creation takes effect a while after the connection was torn down",
    operations: ["createCandidate"],
    around: (call) => {
      const candidates = organisationOf(call)?.candidates;
      const before = new Set(candidates?.keys());
      return () => {
        const made = [...(candidates ?? [])].filter(([id]) => !before.has(id));
        for (const [id] of made) candidates?.delete(id);
        const commit = () => {
          for (const [id, each] of made) candidates?.set(id, each);
        };
        setTimeout(commit, call.settings.lateMs ?? LATE_MS).unref();
        return "reset";
      };
    },
  },
  "create-swaps-names": {
    summary: "a creation stores the first name as the last, and the other way round",
    operations: ["createCandidate"],
    around: stored(({ firstName, lastName }) => ({ firstName: lastName, lastName: firstName })),
  },
  "create-loses-contact": {
    summary: "a creation stores neither e-mail nor phone",
    operations: ["createCandidate"],
    around: stored(() => ({ email: "", phone: "" })),
  },
  "created-without-contact": {
    summary: "candidates are told without e-mail and phone",
    operations: ["createCandidate", "findCandidates"],
    rewrite: (answer) =>
      changeEntries(answer, (entry) => changeMembers(entry, ["email", "phone"], () => undefined)),
  },
  "create-again-accepted": {
    summary: "the same person is created a second time",
    operations: ["createCandidate"],
    around: (call) => {
      const candidates = organisationOf(call)?.candidates;
      const before = [...(candidates ?? [])];
      candidates?.clear();
      return (answer) => {
        for (const [id, each] of before) candidates?.set(id, each);
        return answer;
      };
    },
  },
  "hire-refused": {
    summary: "400 to the full payload, with which the platform hires",
    operations: ["createCandidate"],
    rewrite: (answer, { request }) =>
      isSuccess(answer) && Number(request.get("content-length")) > 350
        ? problemAnswer("validation_failed")
        : answer,
  },
  "registry-loops": {
    summary: "each page of the registry says that there is a next one",
    operations: ["getCandidateRegistry"],
    around: ({ request }) => {
      request.url = request.path;
      return withCursor;
    },
  },
  "registry-skips-people": {
    summary: "each page of the registry but the first lacks its first entry",
    operations: ["getCandidateRegistry"],
    around: ({ request }) => {
      const isFurther = request.query.cursor !== undefined;
      return (answer) => (isFurther ? changeList(answer, (entries) => entries.slice(1)) : answer);
    },
  },
  "registry-under-other-ids": {
    summary: "the registry has ids of its own",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, id: randomUUID() })),
  },
  "registry-of-others": {
    summary: "the registry gives each person the next one's number",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) =>
      changeList(answer, (entries) =>
        entries.map((entry, index) => ({
          ...entry,
          personalNumber: entries[index - 1]?.personalNumber ?? entries.at(-1)?.personalNumber,
        })),
      ),
  },
  "registry-dates-by-day": {
    summary: "the registry writes dates the other way round",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) =>
      changeEntries(answer, (entry) => ({ ...entry, workHistory: [{ date: "31/01/2026" }] })),
  },
} as const satisfies Faults;

const isHyphenated = (number: unknown): boolean => typeof number === "string" && number.includes("-");

/** Both forms of "nobody" (contract 4.2). */
function isEmpty({ status, body }: Answer): boolean {
  const code = isEntry(body) ? body.code : undefined;
  return (Array.isArray(body) && body.length === 0) || (status === 404 && code === "candidate_not_found");
}

function isLike({ personalNumber }: Entry, wanted: unknown): boolean {
  return typeof wanted !== "string" || String(personalNumber).slice(0, 2) === wanted.slice(0, 2);
}

/** Changes what is kept of a new candidate; the answer tells what was sent. */
function stored(change: (candidate: StoredCandidate) => Partial<StoredCandidate>) {
  return (call: SpoiltCall) => {
    const candidates = organisationOf(call)?.candidates;
    const before = new Set(candidates?.keys());
    return (answer: Answer) => {
      for (const [id, each] of candidates ?? []) if (!before.has(id)) Object.assign(each, change(each));
      return answer;
    };
  };
}

function withCursor(answer: Answer): Answer {
  return isSuccess(answer) && isEntry(answer.body)
    ? { ...answer, body: { ...answer.body, nextCursor: "next" } }
    : answer;
}
