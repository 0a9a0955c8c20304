import type { EventDetail } from "../../../generated/operations/types.ts";
import { TroubleError } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";

/** The stored body of the webhook, masked. */
export function Payload({ payload }: { payload: EventDetail["payload"] }) {
  const text = JSON.stringify(payload, null, 2);
  const copy = useAction(async () => {
    await copyText(text);
    return "Payload copied.";
  });
  return (
    <section class="panel" aria-labelledby="payload">
      <h2 id="payload">Payload</h2>
      <div class="stack">
        <pre class="event-payload">{text}</pre>
        <div class="row">
          <button type="button" onClick={() => void copy.run()}>
            Copy
          </button>
          <span class="hint">Personal numbers are masked.</span>
        </div>
        {copy.trouble && <TroubleBox trouble={copy.trouble} />}
      </div>
    </section>
  );
}

/** @throws TroubleError without access to the clipboard: browsers require https and the permission. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new TroubleError({
      title: "The browser denies access to the clipboard",
      detail: "Select the text and copy it by hand.",
    });
  }
}
