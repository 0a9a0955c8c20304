import { randomUUID } from "node:crypto";
import type { StoredCandidate } from "../organisation.ts";
import { changeEntries, changeList, changeMembers, type Entry, isEntry } from "./entries.ts";
import { type Answer, type Call, type Faults, isSuccess, json, problemAnswer } from "./fault.ts";
import { organisationOf } from "./tenant.ts";

const LATE_MS = 2_000;

/** Faults in finding, storing and returning candidates, and in the registry. */
export const candidateFaults = {
  "candidate-race": {
    summary: "409 to a creation, as after a concurrent one; a lookup then finds the candidate (once)",
    operations: ["createCandidate"],
    times: 1,
    rewrite: () => problemAnswer("candidate_exists"),
  },
  "two-candidates": {
    summary: "a lookup returns a second candidate with the same number",
    operations: ["findCandidates"],
    rewrite: (answer) =>
      changeList(answer, (found) => found.flatMap((each) => [each, { ...each, id: randomUUID() }])),
  },
  "foreign-candidate": {
    summary: "a lookup ignores its query and returns all candidates",
    operations: ["findCandidates"],
    instead: ({ request }) => {
      request.url = request.path;
      return undefined;
    },
  },
  "lookup-by-century": {
    summary: "a lookup returns all candidates whose number starts with the same two digits",
    operations: ["findCandidates"],
    around: ({ request }) => {
      const { personalNumber } = request.query;
      if (typeof personalNumber === "string") request.url = request.path;
      return (answer) => changeList(answer, (found) => found.filter((each) => isLike(each, personalNumber)));
    },
  },
  "lookup-finds-nobody": {
    summary: "a lookup finds no candidate",
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
    summary: "a lookup of YYYYMMDD-XXXX finds no candidate",
    operations: ["findCandidates"],
    instead: ({ request, forms }) => {
      if (!isHyphenated(request.query.personalNumber)) return undefined;
      return forms.notFound === "404" ? problemAnswer("candidate_not_found") : json(200, []);
    },
  },
  "lookup-invalid": {
    summary: "400 to a lookup of an unknown candidate",
    operations: ["findCandidates"],
    rewrite: (answer) => (isEmpty(answer) ? problemAnswer("validation_failed") : answer),
  },
  "lookup-null": {
    summary: "null in place of an empty list",
    operations: ["findCandidates"],
    rewrite: (answer) => (isEmpty(answer) ? json(200, null) : answer),
  },
  "not-found-mixed": {
    summary: "every second lookup without a match uses the other form of response",
    operations: ["findCandidates"],
    every: 2,
    rewrite: (answer) => {
      if (!isEmpty(answer)) return answer;
      return answer.status === 404 ? json(200, []) : problemAnswer("candidate_not_found");
    },
  },
  "candidate-id-changes": {
    summary: "a candidate has a different id each time",
    operations: ["findCandidates"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, id: randomUUID() })),
  },
  "created-another": {
    summary: "the created candidate has a different personal number",
    operations: ["createCandidate"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, personalNumber: "197603212387" })),
  },
  "created-under-another-id": {
    summary: "a creation returns a different id than lookups",
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
    summary: "a creation takes effect some time after the connection was reset",
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
    summary: "a creation swaps first and last name",
    operations: ["createCandidate"],
    around: stored(({ firstName, lastName }) => ({ firstName: lastName, lastName: firstName })),
  },
  "create-encodes-twice": {
    summary: "a creation stores UTF-8 as Latin-1: Åsa becomes Ã…sa",
    operations: ["createCandidate"],
    around: stored(({ firstName }) => ({ firstName: Buffer.from(firstName).toString("latin1") })),
  },
  "create-escapes-html": {
    summary: "a creation stores an apostrophe as an HTML entity",
    operations: ["createCandidate"],
    around: stored(({ firstName }) => ({ firstName: firstName.replaceAll("'", "&#039;") })),
  },
  "create-loses-letters": {
    summary: "a creation stores ? in place of letters outside ASCII",
    operations: ["createCandidate"],
    around: stored(({ firstName }) => ({ firstName: firstName.replaceAll(/[^ -~]/g, "?") })),
  },
  "create-ends-at-emoji": {
    summary: "a creation stores a text up to its first character of four bytes",
    operations: ["createCandidate"],
    around: stored(({ firstName }) => ({ firstName: firstName.replace(/[^\0-\uffff].*/u, "") })),
  },
  "create-cuts-phone": {
    summary: "a creation stores the first nine characters of the phone number",
    operations: ["createCandidate"],
    around: stored(({ phone }) => ({ phone: phone.slice(0, 9) })),
  },
  "create-loses-contact": {
    summary: "a creation stores neither e-mail nor phone",
    operations: ["createCandidate"],
    around: stored(() => ({ email: "", phone: "" })),
  },
  "created-without-contact": {
    summary: "candidates are returned without e-mail and phone",
    operations: ["createCandidate", "findCandidates"],
    rewrite: (answer) =>
      changeEntries(answer, (entry) => changeMembers(entry, ["email", "phone"], () => undefined)),
  },
  "create-again-accepted": {
    summary: "the same candidate is created a second time",
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
    summary: "400 to the full payload of a hire",
    operations: ["createCandidate"],
    rewrite: (answer, { request }) =>
      isSuccess(answer) && Number(request.get("content-length")) > 350
        ? problemAnswer("validation_failed")
        : answer,
  },
  "registry-too-long": {
    summary: "the registry is one response of 50,000 people",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) =>
      changeList(answer, ([entry = {}]) =>
        Array.from({ length: 50_000 }, (_, id) => ({ ...entry, id: `${id}` })),
      ),
  },
  "registry-loops": {
    summary: "every page of the registry has a next page",
    operations: ["getCandidateRegistry"],
    around: ({ request }) => {
      request.url = request.path;
      return withCursor;
    },
  },
  "registry-skips-people": {
    summary: "every page of the registry except the first lacks its first entry",
    operations: ["getCandidateRegistry"],
    around: ({ request }) => {
      const isFurther = request.query.cursor !== undefined;
      return (answer) => (isFurther ? changeList(answer, (entries) => entries.slice(1)) : answer);
    },
  },
  "registry-under-other-ids": {
    summary: "the registry uses different ids",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, id: randomUUID() })),
  },
  "registry-of-others": {
    summary: "the registry assigns each person the number of another one",
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
    summary: "the registry writes dates as DD/MM/YYYY",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) =>
      changeEntries(answer, (entry) => ({ ...entry, workHistory: [{ date: "31/01/2026" }] })),
  },
} as const satisfies Faults;

const isHyphenated = (number: unknown): boolean => typeof number === "string" && number.includes("-");

/** Whether a lookup found no candidate, in either form (contract 4.2). */
function isEmpty({ status, body }: Answer): boolean {
  const code = isEntry(body) ? body.code : undefined;
  return (Array.isArray(body) && body.length === 0) || (status === 404 && code === "candidate_not_found");
}

function isLike({ personalNumber }: Entry, wanted: unknown): boolean {
  return typeof wanted !== "string" || String(personalNumber).slice(0, 2) === wanted.slice(0, 2);
}

/** Changes a new candidate in storage; the response contains the candidate as sent. */
function stored(change: (candidate: StoredCandidate) => Partial<StoredCandidate>) {
  return (call: Call) => {
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
