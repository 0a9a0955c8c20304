import { useEffect, useRef, useState } from "preact/hooks";
import type { Event, ReplayPreview } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { wordsOf } from "./event-words.ts";
import { PreviewShown } from "./replay-preview.tsx";

interface Props {
  event: Event;
  onQueued(): void;
}

/** What came of the event, and to have it processed again: first what that would change, then the doing. */
export function Replay({ event, onQueued }: Props) {
  const { preview, look, replay, queued } = useReplay(event, onQueued);
  const zone = useNames().integration(event.providerId)?.timeZone;
  const mayReplay = preview !== undefined || look.trouble?.code === "provider_unavailable";
  return (
    <section class="panel" aria-labelledby="outcome">
      <h2 id="outcome">What came of it</h2>
      <div class="stack">
        <div>
          {event.verdict && <p class="event-verdict">{event.verdict}</p>}
          <p class="soft">{wordsOf(event).means}</p>
        </div>
        <div class="row">
          <button type="button" aria-busy={look.isRunning} onClick={() => void look.run()}>
            What would a replay change?
          </button>
          {look.isRunning && <span class="soft">The provider is asked …</span>}
        </div>
        {look.trouble && <TroubleBox trouble={look.trouble} />}
        {preview && <PreviewShown preview={preview} zone={zone} />}
        {mayReplay && <Doing replay={replay} wasPreviewed={preview !== undefined} />}
        {replay.trouble && <TroubleBox trouble={replay.trouble} />}
        <Queued queued={queued} />
      </div>
    </section>
  );
}

function Doing({ replay, wasPreviewed }: { replay: Action<[]>; wasPreviewed: boolean }) {
  return (
    <div class="row">
      <button type="button" class="primary" aria-busy={replay.isRunning} onClick={() => void replay.run()}>
        {wasPreviewed ? "Replay" : "Replay all the same"}
      </button>
      <span class="hint">The provider is asked anew, and nothing is done twice.</span>
    </div>
  );
}

function useReplay({ eventId }: Event, onQueued: () => void) {
  const [preview, setPreview] = useState<ReplayPreview>();
  const [queued, setQueued] = useState<number>();
  const params = { path: { eventId } };
  const look = useAction(async () => {
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
  return { preview, look, replay, queued };
}

/** Takes the focus from the button that is gone. */
function Queued({ queued }: { queued: number | undefined }) {
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (queued !== undefined) said.current?.focus();
  }, [queued]);
  if (queued === undefined) return null;
  return (
    <p class="replay-said" ref={said} tabIndex={-1}>
      {queued > 0
        ? "It is queued again. What comes of it shows here by itself."
        : "Nothing was queued: the contract has no event of this name."}
    </p>
  );
}
