import { useState } from "preact/hooks";
import { counted } from "../../contract/operator-text.ts";
import { say } from "../data/announce.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

interface Props {
  /** The organisation of the filter. */
  providerId: string | undefined;
  onQueued(): void;
}

/** Replays every failed event of one organisation, for example after an outage. */
export function ReplaySince({ providerId, onQueued }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const end = (queued: number) => {
    close();
    say(`${counted(queued, "event")} queued again.`);
    onQueued();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Replay failed events …
      </button>
      <Dialog title="Replay failed events" isOpen={isOpen} onClose={close}>
        <ReplayForm providerId={providerId} onQueued={end} />
      </Dialog>
    </>
  );
}

const DAY_MS = 86_400_000;

function ReplayForm({ providerId, onQueued }: { providerId: string | undefined; onQueued(n: number): void }) {
  const [noneSince, setNoneSince] = useState<string>();
  const { run, isRunning, trouble } = useAction(async (form: FormData) => {
    const since = fromLocalInput(String(form.get("since")));
    const body = { providerId: String(form.get("providerId")), since: since ?? "" };
    const { queued } = await ask(api.replayEvents({ body }));
    if (queued > 0) onQueued(queued);
    else setNoneSince(since);
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setNoneSince(undefined);
    void run(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p>
        Queues every event of the organisation again that was received since then and failed or got no
        response. The provider is read again, and no effect happens twice.
      </p>
      <WhichFields providerId={providerId} />
      {trouble && <TroubleBox trouble={trouble} />}
      <div class="row">
        <button type="submit" class="primary" aria-busy={isRunning}>
          Queue again
        </button>
        <span role="status">{noneSince !== undefined && "No event received since then has failed."}</span>
      </div>
    </form>
  );
}

function WhichFields({ providerId }: { providerId: string | undefined }) {
  const { integrations } = useNames();
  return (
    <>
      <label class="field">
        <span>Organisation</span>
        <select name="providerId" required>
          {integrations.map((each) => (
            <option key={each.providerId} value={each.providerId} selected={each.providerId === providerId}>
              {each.name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Received since, in your local time</span>
        <input
          type="datetime-local"
          name="since"
          required
          defaultValue={toLocalInput(new Date(Date.now() - DAY_MS))}
        />
      </label>
    </>
  );
}
