import { useState } from "preact/hooks";
import type { Event } from "../../../generated/operations/types.ts";
import { eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { ActionButton } from "../components/action-button.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { Focused } from "../components/focused.tsx";
import { Section } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";

interface Props {
  event: Event;
  onQueued(): void;
}

/** The outcome of the event, and its replay. */
export function Replay({ event, onQueued }: Props) {
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
