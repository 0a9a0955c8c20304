import { useEffect, useRef, useState } from "preact/hooks";
import type { Event, ReplayPreview } from "../../../generated/operations/types.ts";
import { eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { PreviewShown } from "./replay-preview.tsx";

interface Props {
  event: Event;
  onQueued(): void;
}

/** The outcome of the event, and its replay: first the preview, then the replay itself. */
export function Replay({ event, onQueued }: Props) {
  const { preview, dryRun, replay, queued } = useReplay(event, onQueued);
  const zone = useNames().integration(event.providerId)?.timeZone;
  const mayReplay = preview !== undefined || dryRun.trouble?.code === "provider_unavailable";
  return (
    <section class="panel" aria-labelledby="outcome">
      <h2 id="outcome">Outcome</h2>
      <div class="stack">
        <div>
          {event.verdict && <p class="event-outcome">{outcomeText(event.verdict)}</p>}
          <p class="soft">{eventStatusText(event).meaning}</p>
        </div>
        <div class="row">
          <button type="button" aria-busy={dryRun.isRunning} onClick={() => void dryRun.run()}>
            Preview a replay
          </button>
          {dryRun.isRunning && <span class="soft">Reading the shift from the provider …</span>}
        </div>
        {dryRun.trouble && <TroubleBox trouble={dryRun.trouble} />}
        {preview && <PreviewShown preview={preview} zone={zone} />}
        {mayReplay && <ReplayButton replay={replay} wasPreviewed={preview !== undefined} />}
        {replay.trouble && <TroubleBox trouble={replay.trouble} />}
        <Queued queued={queued} />
      </div>
    </section>
  );
}

function ReplayButton({ replay, wasPreviewed }: { replay: Action<[]>; wasPreviewed: boolean }) {
  return (
    <div class="row">
      <button type="button" class="primary" aria-busy={replay.isRunning} onClick={() => void replay.run()}>
        {wasPreviewed ? "Replay" : "Replay anyway"}
      </button>
      <span class="hint">The provider is read again, and no effect happens twice.</span>
    </div>
  );
}

function useReplay({ eventId }: Event, onQueued: () => void) {
  const [preview, setPreview] = useState<ReplayPreview>();
  const [queued, setQueued] = useState<number>();
  const params = { path: { eventId } };
  const dryRun = useAction(async () => {
    setQueued(undefined);
    setPreview(undefined);
    setPreview(await ask(api.previewReplay({ params })));
  });
  const replay = useAction(async () => {
    const { queued: number } = await ask(api.replayEvent({ params }));
    setPreview(undefined);
    setQueued(number);
    onQueued();
  });
  return { preview, dryRun, replay, queued };
}

/** Takes the focus, because the button is gone. */
function Queued({ queued }: { queued: number | undefined }) {
  const message = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (queued !== undefined) message.current?.focus();
  }, [queued]);
  if (queued === undefined) return null;
  return (
    <p class="replay-queued" ref={message} tabIndex={-1}>
      {queued > 0
        ? "Queued again. The outcome appears here."
        : "Not queued: the contract has no event of this name."}
    </p>
  );
}
