import { useRef, useState } from "preact/hooks";
import type { Job, JobChange } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { changeOf, type Typed } from "./change-of.ts";
import { LocalTimeField } from "./local-time-field.tsx";

interface Props {
  job: Job;
  /** IANA zone in which the times are shown and read. */
  zone: string;
}

/** Changes times or positions. They belong to the provider, so the provider is asked. */
export function ChangeJob({ job, zone }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Change
      </button>
      <Dialog title="Change times or positions" isOpen={isOpen} onClose={close}>
        <ChangeForm job={job} zone={zone} onDone={close} />
      </Dialog>
    </>
  );
}

function ChangeForm({ job, zone, onDone }: Props & { onDone(): void }) {
  // The job when the form was opened: messages of the stream do not change the input.
  const { current: before } = useRef(job);
  const [typed, setTyped] = useState<Typed>(before);
  const type = (part: Partial<Typed>) => setTyped((known) => ({ ...known, ...part }));
  const change = changeOf(before, typed);
  const action = useAction(async () => {
    if (!change) return;
    const announcement = await send(job.jobId, change);
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
        Times are in <strong>{zone}</strong>. The platform asks the provider with <code>PUT /shifts</code>,
        and notifies booked candidates of new times.
      </p>
      <LocalTimeField
        name="Start"
        zone={zone}
        at={before.startTime}
        onTime={(startTime) => type({ startTime })}
      />
      <LocalTimeField name="End" zone={zone} at={before.endTime} onTime={(endTime) => type({ endTime })} />
      <PositionsField at={before.positions} onPositions={(positions) => type({ positions })} />
      {action.trouble && <TroubleBox trouble={action.trouble} />}
      <div class="row">
        <button type="submit" class="primary" disabled={!change} aria-disabled={action.isRunning}>
          Request the change
        </button>
        {!change && <span class="hint">No changes yet.</span>}
      </div>
    </form>
  );
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

async function send(jobId: string, body: JobChange): Promise<string> {
  const call = api.changeJob({ params: { path: { jobId } }, body });
  await ask(call);
  const { response } = await call;
  return response.status === 202
    ? "Change requested. The job changes when the provider confirms."
    : "The provider confirmed the change.";
}
