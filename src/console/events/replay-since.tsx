import { useState } from "preact/hooks";
import { say } from "../data/announce.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

interface Props {
  /** The organisation that is looked at. */
  providerId: string | undefined;
  onQueued(): void;
}

/** Queues again what failed of one organisation, after an outage for instance. */
export function ReplaySince({ providerId, onQueued }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const end = (queued: number) => {
    close();
    say(queued === 1 ? "1 event is queued again." : `${queued} events are queued again.`);
    onQueued();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Replay all that failed since …
      </button>
      <Dialog title="Replay all that failed" isOpen={isOpen} onClose={close}>
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
        Every event of the organisation that came since then and failed or was given up is queued again. The
        provider is asked anew, and nothing is done twice.
      </p>
      <WhichFields providerId={providerId} />
      {trouble && <TroubleBox trouble={trouble} />}
      <div class="row">
        <button type="submit" class="primary" aria-busy={isRunning}>
          Queue them again
        </button>
        <span role="status">{noneSince !== undefined && "Nothing that came since then failed."}</span>
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
        <span>Received since, by your own clock</span>
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
