import { useState } from "preact/hooks";
import type { Candidate, Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { fullName } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { useQuery } from "../data/use-query.ts";
import { Shown } from "../parts/shown.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { type Choice, choicesFor } from "./able.ts";

const PAGE = 200;
const PAGES = 10;

/** Accepts on behalf of a candidate, for example after a phone call. */
export function AcceptForm({ job }: { job: Job }) {
  const query = useQuery("candidates", readCandidates, ({ type }) => type === "import");
  return (
    <Shown query={query} lines={3}>
      {({ candidates, isCut }) => (
        <>
          <Form job={job} candidates={candidates} />
          {isCut && <p class="hint">Only the first {candidates.length} candidates are listed.</p>}
        </>
      )}
    </Shown>
  );
}

function Form({ job, candidates }: { job: Job; candidates: readonly Candidate[] }) {
  const [listsAll, setListsAll] = useState(false);
  const { able, others } = choicesFor(job, candidates);
  const action = useAction((candidateId: string) => accept(job, candidateId, candidates));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget as HTMLFormElement).get("candidateId");
    if (chosen) void action.run(`${chosen}`);
  };
  return (
    <form class="stack accept" onSubmit={submit} aria-label="Accept for a candidate">
      <div class="row">
        <label class="field">
          <span>Accept for a candidate</span>
          <select name="candidateId" required>
            <option value="">
              {able.length === 0 ? "No candidate has the competence" : `Select one of ${able.length}`}
            </option>
            {able.map(optionOf)}
            {listsAll && others.map(optionOf)}
          </select>
        </label>
        <button type="submit" class="primary" aria-disabled={action.isRunning}>
          {action.isRunning ? "Waiting for the provider …" : "Accept"}
        </button>
        {others.length > 0 && (
          <label>
            <input type="checkbox" checked={listsAll} onChange={() => setListsAll(!listsAll)} /> list all
            candidates
          </label>
        )}
      </div>
      {action.trouble && <TroubleBox trouble={action.trouble} />}
    </form>
  );
}

function optionOf({ candidate, hindrance }: Choice) {
  const name = `${fullName(candidate)}, ${candidate.personalNumber}`;
  return (
    <option key={candidate.candidateId} value={candidate.candidateId} disabled={hindrance !== undefined}>
      {hindrance === undefined ? name : `${name}: ${hindrance}`}
    </option>
  );
}

/** Reserves the seat immediately. The provider confirms then or later; a refusal is thrown. */
async function accept(job: Job, candidateId: string, candidates: readonly Candidate[]): Promise<string> {
  const { jobId } = job;
  const { status } = await ask(api.acceptJob({ params: { path: { jobId } }, body: { candidateId } }));
  const chosen = candidates.find((candidate) => candidate.candidateId === candidateId);
  const name = chosen ? fullName(chosen) : "The candidate";
  document.getElementById("bookings-title")?.focus();
  return status === "confirmed"
    ? `${name} is booked: the provider confirmed.`
    : `The seat is reserved for ${name}. The provider has not confirmed yet.`;
}

async function readCandidates() {
  const candidates: Candidate[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { limit: PAGE, ...(cursor && { cursor }) };
    const read = await ask(api.listCandidates({ params: { query } }));
    candidates.push(...read.items);
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return { candidates, isCut: cursor !== undefined };
}
