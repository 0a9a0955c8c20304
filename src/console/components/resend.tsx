import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { ActionButton } from "./dialog.tsx";
import { ErrorBox } from "./section.tsx";

interface Props {
  notificationId: string;
  /** The object, because several buttons have the same label. */
  of: string;
}

/** Sends a notification again that was not delivered. */
export function Resend({ notificationId, of }: Props) {
  const resend = useAction(async () => {
    await ask(api.resendNotification({ params: { path: { notificationId } } }));
    return "Queued. The notification is sent again.";
  });
  if (!may("resendNotification")) return null;
  return (
    <>
      <ActionButton action={resend} onClick={resend.run}>
        Send again<span class="visually-hidden">: {of}</span>
      </ActionButton>
      {resend.error && <ErrorBox error={resend.error} />}
    </>
  );
}
