import { useState } from "preact/hooks";
import { counted } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { DialogButton } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { toLocal } from "../job/zoned-time.ts";

interface Props {
  /** The organisation of the filter. */
  providerId: string | undefined;
  onQueued(): void;
}

/** Replays every failed event of one organisation, for example after an outage. */
export function ReplaySince({ providerId, onQueued }: Props) {
  return (
    <DialogButton label="Replay failed events …" title="Replay failed events" onDone={onQueued}>
      {(done) => <ReplayForm providerId={providerId} onQueued={done} />}
    </DialogButton>
  );
}

function ReplayForm({ providerId, onQueued }: Props) {
  const [isNone, setIsNone] = useState(false);
  const replay = useAction(async (given: FormData) => {
    const since = new Date(String(given.get("since"))).toISOString();
    const { queued } = await ask(
      api.replayEvents({ body: { providerId: String(given.get("providerId")), since } }),
    );
    setIsNone(queued === 0);
    if (queued === 0) return;
    onQueued();
    return `${counted(queued, "event")} queued again.`;
  });
  const submit = (given: FormData) => {
    setIsNone(false);
    void replay.run(given);
  };
  return (
    <Form
      action={replay}
      fields={[]}
      submit="Replay"
      isCheckedByBrowser
      onSubmit={submit}
      aside={<span role="status">{isNone && "No event received since then has failed."}</span>}
    >
      <p>
        Replays the organisation's events received since then that failed or got no response. The provider is
        read again, and no effect happens twice.
      </p>
      <Fields providerId={providerId} />
    </Form>
  );
}

function Fields({ providerId }: Pick<Props, "providerId">) {
  const { integrations } = useNames();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const yesterday = new Date(Date.now() - DAY_MS).toISOString();
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
        <input type="datetime-local" name="since" required defaultValue={toLocal(yesterday, timeZone)} />
      </label>
    </>
  );
}
