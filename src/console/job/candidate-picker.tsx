import { useId, useState } from "preact/hooks";
import type { Job, JobCandidate } from "../../../generated/operations/types.ts";
import { Badge } from "../components/cells.tsx";
import { ErrorBox } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { usePaused } from "../data/live.ts";
import { fullName } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { hindranceOf } from "./job.ts";
import "./job.css";

/** An operator who does not find the person among them types more of the name. */
const SHOWN = 20;

interface Props {
  job: Job;
  chosen: JobCandidate | undefined;
  onChoose(candidate: JobCandidate | undefined): void;
}

/** A combobox (ARIA Authoring Practices) that searches the candidates on the platform by name. */
export function CandidatePicker({ job, chosen, onChoose }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState<number>();
  const { data, error } = useCandidates(job, text);
  const items = isOpen ? (data?.items ?? []) : [];
  const activeId = active !== undefined && active < items.length ? `${id}-${active}` : undefined;
  const enter = (typed: string) => {
    onChoose(undefined);
    setText(typed);
    setActive(undefined);
    setIsOpen(true);
  };
  const choose = (candidate: JobCandidate | undefined) => {
    if (!candidate || hindranceOf(candidate) !== undefined) return;
    onChoose(candidate);
    setText(fullName(candidate));
    setIsOpen(false);
    setActive(undefined);
  };
  const move = (step: number) => {
    setIsOpen(true);
    const last = (data?.items.length ?? 0) - 1;
    if (last < 0) return;
    const next = active === undefined ? (step > 0 ? 0 : last) : active + step;
    setActive(Math.min(Math.max(next, 0), last));
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape" && isOpen) setIsOpen(false);
    else if (event.key === "Enter" && activeId !== undefined) choose(items[active ?? 0]);
    else return;
    event.preventDefault();
  };
  return (
    <div class="field picker" onFocusOut={(event) => leaves(event) && setIsOpen(false)}>
      <label for={id}>Accept for a candidate</label>
      <input
        {...{ id, value: text }}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        {...(activeId !== undefined && { "aria-activedescendant": activeId })}
        placeholder="Name"
        maxLength={100}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => enter(event.currentTarget.value)}
        onClick={() => setIsOpen(true)}
        onKeyDown={press}
      />
      <p class="visually-hidden" role="status">
        {isOpen && data && foundText(data)}
      </p>
      {isOpen && error && <ErrorBox error={error} />}
      <div class="picker-list" hidden={!isOpen || !data}>
        <div id={`${id}-list`} role="listbox" aria-label="Candidates">
          {items.map((candidate, place) => (
            <Option
              key={candidate.candidateId}
              {...{ candidate, id: `${id}-${place}`, isActive: place === active }}
              isChosen={candidate.candidateId === chosen?.candidateId}
              onChoose={() => choose(candidate)}
            />
          ))}
        </div>
        {isOpen && data && (items.length === 0 || data.nextCursor !== undefined) && (
          <p class="hint">{foundText(data)}</p>
        )}
      </div>
    </div>
  );
}

/** The focus leaves the picker: a click on an option does not end it. */
const leaves = ({ currentTarget, relatedTarget }: FocusEvent): boolean =>
  !(currentTarget as HTMLElement).contains(relatedTarget as Node | null);

/** Those of what is typed now: the keys never choose from those of what was typed before. */
function useCandidates({ jobId }: Job, text: string) {
  const typed = text.trim();
  const wanted = usePaused(typed);
  const query = { limit: SHOWN, ...(wanted !== "" && { search: wanted }) };
  const { data, error } = useQuery(
    `candidates for ${jobId} ${wanted}`,
    () => ask(api.listJobCandidates({ params: { path: { jobId }, query } })),
    ({ type, data }) => type === "import" || (type === "booking" && data.jobId === jobId),
  );
  return { error, data: wanted === typed ? data : undefined };
}

function foundText({ items, nextCursor }: { items: readonly JobCandidate[]; nextCursor?: string }): string {
  if (items.length === 0) return "No candidate has this name.";
  return nextCursor === undefined
    ? `${items.length} found`
    : `The first ${items.length}. Type more of the name to find others.`;
}

interface OptionProps {
  candidate: JobCandidate;
  id: string;
  isActive: boolean;
  isChosen: boolean;
  onChoose(): void;
}

function Option({ candidate, id, isActive, isChosen, onChoose }: OptionProps) {
  const hindrance = hindranceOf(candidate);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
    <div
      {...{ id }}
      role="option"
      aria-selected={isChosen}
      aria-disabled={hindrance !== undefined}
      data-active={isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span>
        {fullName(candidate) || "without a name"} <span class="soft">{candidate.personalNumber}</span>
      </span>
      <span class="row">
        {candidate.offered && <Badge tone="good">has an offer</Badge>}
        {hindrance !== undefined && <Badge tone="plain">{hindrance}</Badge>}
      </span>
    </div>
  );
}
