import { randomUUID } from "node:crypto";
import { organisationOf } from "./answers.ts";
import { changeEntries, changeList } from "./entries.ts";
import { type Faults, isSuccess, problemAnswer } from "./fault.ts";

const LATE_MS = 2_000;

/** Faults in finding and creating candidates. */
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
  "created-another": {
    summary: "the created candidate has a different personal number",
    operations: ["createCandidate"],
    rewrite: (answer) => changeEntries(answer, (entry) => ({ ...entry, personalNumber: "197603212387" })),
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
  "hire-refused": {
    summary: "400 to the full payload of a hire",
    operations: ["createCandidate"],
    rewrite: (answer, { request }) =>
      isSuccess(answer) && Number(request.get("content-length")) > 350
        ? problemAnswer("validation_failed")
        : answer,
  },
} as const satisfies Faults;
