import { useState } from "preact/hooks";
import type { Event } from "../../../generated/operations/types.ts";
import { counted, eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { ActionButton, DialogButton, Focused } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { toLocal } from "../job/job.ts";
import { may } from "../session/me.ts";

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

interface ReplayProps {
  event: Event;
  onQueued(): void;
}

/** The outcome of the event, and its replay. */
export function Replay({ event, onQueued }: ReplayProps) {
  const [queued, setQueued] = useState<number>();
  const replay = useAction(async () => {
    setQueued(undefined);
    const { queued: number } = await ask(api.replayEvent({ params: { path: { eventId: event.eventId } } }));
    setQueued(number);
    onQueued();
  });
  return (
    <Section id="outcome" title="Outcome">
      <div>
        {event.verdict && <p>{outcomeText(event.verdict)}</p>}
        <p class="soft">{eventStatusText(event).meaning}</p>
      </div>
      {may("replayEvent") && (
        <div class="row">
          <ActionButton action={replay} onClick={replay.run}>
            Replay
          </ActionButton>
          <span class="hint">The shift is read again, and no effect happens twice.</span>
        </div>
      )}
      {replay.error && <ErrorBox error={replay.error} />}
      <Queued queued={queued} />
    </Section>
  );
}

function Queued({ queued }: { queued: number | undefined }) {
  if (queued === undefined) return null;
  return (
    <Focused class="replay-queued">
      {queued > 0
        ? "Queued again. The outcome appears here."
        : "Not queued: the contract has no event of this name."}
    </Focused>
  );
}
