import { useId, useRef, useState } from "preact/hooks";
import type { Job, JobChange } from "../../../generated/operations/types.ts";
import { DialogButton } from "../components/dialog.tsx";
import { ErrorBox } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { type ChangeInput, changeOf, fromLocal, type LocalReading, offsetName, toLocal } from "./job.ts";

interface Props {
  job: Job;
  /** IANA zone in which the times are shown and read. */
  zone: string;
}

/** Changes times or positions. They belong to the provider, so the provider is asked. */
export function ChangeJob(props: Props) {
  return (
    <DialogButton label="Change" title="Change times or positions">
      {(done) => <ChangeForm {...props} onDone={done} />}
    </DialogButton>
  );
}

function ChangeForm({ job, zone, onDone }: Props & { onDone(): void }) {
  // The job when the form was opened: messages of the stream do not change the input.
  const { current: before } = useRef(job);
  const [input, setInput] = useState<ChangeInput>(before);
  const enter = (part: Partial<ChangeInput>) => setInput((known) => ({ ...known, ...part }));
  const change = changeOf(before, input);
  const action = useAction(async () => {
    if (!change) return;
    const announcement = await requestChange(job.jobId, change);
    onDone();
    return announcement;
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void action.run();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p class="hint">
        Times are in <strong>{zone}</strong>. The platform asks the provider for the change, and notifies
        booked candidates of new times.
      </p>
      <LocalTimeField
        name="Start"
        zone={zone}
        at={before.startTime}
        onTime={(startTime) => enter({ startTime })}
      />
      <LocalTimeField name="End" zone={zone} at={before.endTime} onTime={(endTime) => enter({ endTime })} />
      <PositionsField at={before.positions} onPositions={(positions) => enter({ positions })} />
      {action.error && <ErrorBox error={action.error} />}
      <div class="row">
        <button type="submit" class="primary" disabled={!change} aria-disabled={action.isRunning}>
          Request the change
        </button>
        {!change && <span class="hint">No changes yet.</span>}
      </div>
    </form>
  );
}

async function requestChange(jobId: string, body: JobChange): Promise<string> {
  const call = api.changeJob({ params: { path: { jobId } }, body });
  await ask(call);
  const { response } = await call;
  return response.status === 202
    ? "Change requested. The job changes when the provider confirms."
    : "The provider confirmed the change.";
}

const MOST_POSITIONS = 100;

function PositionsField({ at, onPositions }: { at: number; onPositions(count: number | undefined): void }) {
  return (
    <label class="field">
      <span>Positions, in total</span>
      <input
        type="number"
        min={0}
        max={MOST_POSITIONS}
        required
        defaultValue={at}
        onInput={({ currentTarget: { valueAsNumber } }) =>
          onPositions(Number.isInteger(valueAsNumber) ? valueAsNumber : undefined)
        }
      />
    </label>
  );
}

interface TimeFieldProps {
  name: string;
  /** IANA. */
  zone: string;
  /** The value before any input. */
  at: string;
  /** Undefined while the input is no time, or could be two. */
  onTime(at: string | undefined): void;
}

/** A local time of the workplace. Where the clock is set back, it asks which of two times is meant. */
function LocalTimeField({ name, zone, at, onTime }: TimeFieldProps) {
  const hint = useId();
  const untouched = toLocal(at, zone);
  const [reading, setReading] = useState<LocalReading>({ kind: "once", at });
  const enter = (text: string) => {
    // Without input the time stays the same, also in an hour that occurs twice.
    const read: LocalReading = text === untouched ? { kind: "once", at } : fromLocal(text, zone);
    setReading(read);
    onTime(read.kind === "once" ? read.at : undefined);
  };
  return (
    <div class="field">
      <label class="field">
        <span>{name}</span>
        <input
          type="datetime-local"
          required
          defaultValue={untouched}
          aria-describedby={hint}
          onInput={(event) => enter(event.currentTarget.value)}
        />
      </label>
      <div id={hint} class="hint" aria-live="polite">
        {reading.kind === "once" && `That is ${offsetName(reading.at, zone)}.`}
        {reading.kind === "never" && `The clock is set forward in ${zone}: it never shows this time.`}
        {reading.kind === "unreadable" && "Enter a complete date and time."}
      </div>
      {reading.kind === "twice" && (
        <fieldset class="which">
          <legend>The clock is set back in {zone}: it shows this time twice. Which one?</legend>
          {[reading.first, reading.second].map((each, place) => (
            <label key={each}>
              <input type="radio" name={`${name} twice`} required onChange={() => onTime(each)} /> the{" "}
              {place === 0 ? "first" : "second"}, {offsetName(each, zone)}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}
