import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Integration } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";

/** Deletes a draft, once the operator has confirmed it. */
export function DeleteButton({ integration: { providerId, name } }: { integration: Integration }) {
  const { route } = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAction(async () => {
    await ask(api.deleteIntegration({ params: { path: { providerId } } }));
    route("/console/integrations");
    return `${name} is deleted.`;
  });
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        Delete …
      </button>
      <Dialog title={`Delete ${name}?`} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <p>
          The draft is deleted with its tokens, its mapping, and the webhooks that were stored for it.
          Webhooks with its platform token are then answered with 401. Workplaces, competences, and imported
          candidates stay. This cannot be undone.
        </p>
        {remove.trouble && <TroubleBox trouble={remove.trouble} />}
        <p>
          <ActionButton action={remove} tone="danger" onClick={remove.run}>
            Delete {name}
          </ActionButton>
        </p>
      </Dialog>
    </>
  );
}
