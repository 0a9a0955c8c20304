import { useState } from "preact/hooks";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import type { Organisation } from "./use-integration.ts";

export function SuspendButton({ integration: { providerId, name }, reload }: Organisation) {
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const suspend = useAction(async () => {
    await ask(api.suspendIntegration({ params: { path: { providerId } } }));
    close();
    reload();
    return `${name} is suspended.`;
  });
  return (
    <p>
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        Suspend …
      </button>
      <Dialog title={`Suspend ${name}?`} isOpen={isAsking} onClose={close}>
        <p>
          Nothing is lost: webhooks are still answered with 200 and stored, and they wait. Jobs are not
          offered and take no new bookings. Bookings and cancellations that were requested before are still
          carried out. Activating the integration again resumes everything.
        </p>
        {suspend.trouble && <TroubleBox trouble={suspend.trouble} />}
        <p>
          <ActionButton action={suspend} tone="danger" onClick={suspend.run}>
            Suspend {name}
          </ActionButton>
        </p>
      </Dialog>
    </p>
  );
}
