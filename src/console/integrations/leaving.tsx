import { useState } from "preact/hooks";
import type { FutureBookings, Integration } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { api, BASE_URL, callWithToken } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { useLatest } from "./use-integration.ts";

interface Props {
  integration: Integration;
  reload(): void;
}

/** The three steps with which an organisation leaves: offboard, export, delete. */
export function Leaving(props: Props) {
  return props.integration.offboarding ? <LeavingSteps {...props} /> : <OffboardButton {...props} />;
}

const CHOICES: readonly (readonly [FutureBookings, string])[] = [
  ["unassign", "Take everyone off the shifts that have not started"],
  ["keep", "Leave everyone on the shifts; the platform forgets them"],
];

function OffboardButton({ integration: { providerId, name }, reload }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const [bookings, setBookings] = useState<FutureBookings>("unassign");
  const close = () => setIsAsking(false);
  const offboard = useAction(async () => {
    await ask(api.offboardIntegration({ params: { path: { providerId } }, body: { bookings } }));
    close();
    reload();
    return `${name} is being offboarded.`;
  });
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        Offboard …
      </button>
      <Dialog title={`Offboard ${name}?`} isOpen={isAsking} onClose={close}>
        <p>
          The integration is suspended. Afterwards you can export what the platform knows of it, and delete
          it. Until then, activating it again ends the offboarding.
        </p>
        <fieldset class="routing">
          <legend>Future bookings</legend>
          {CHOICES.map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="bookings"
                value={value}
                checked={value === bookings}
                onChange={() => setBookings(value)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        {offboard.trouble && <TroubleBox trouble={offboard.trouble} />}
        <p>
          <ActionButton action={offboard} tone="danger" onClick={offboard.run}>
            Offboard {name}
          </ActionButton>
        </p>
      </Dialog>
    </>
  );
}

function LeavingSteps({ integration, reload }: Props) {
  const { providerId, name } = integration;
  const latest = useLatest(providerId).data ?? integration;
  const { since, remaining = 0, deletionRequestedAt } = latest.offboarding ?? {};
  const save = useAction(async () => {
    await saveExport(providerId);
    return "The export is saved.";
  });
  const remove = useAction(async () => {
    await ask(api.deleteIntegration({ params: { path: { providerId } } }));
    reload();
    return `The deletion of ${name} is requested.`;
  });
  if (deletionRequestedAt)
    return (
      <p role="status">
        Everything of the organisation is being deleted, as requested <Time at={deletionRequestedAt} />.
      </p>
    );
  return (
    <section class="stack" aria-label="Offboarding">
      <p>
        Being offboarded
        {since && (
          <>
            {" "}
            since <Time at={since} />
          </>
        )}
        .{" "}
        {remaining > 0
          ? `The provider has not confirmed yet that ${counted(remaining, "booking")} ended.`
          : "No booking has to end at the provider."}
      </p>
      {[save, remove].map(({ trouble }) => trouble && <TroubleBox key={trouble.title} trouble={trouble} />)}
      <p class="row">
        <ActionButton action={save} onClick={save.run}>
          Save the export
        </ActionButton>
        {remaining === 0 && (
          <ActionButton action={remove} tone="danger" onClick={remove.run}>
            Delete {name} for good
          </ActionButton>
        )}
      </p>
    </section>
  );
}

async function saveExport(providerId: string): Promise<void> {
  const response = await callWithToken(new Request(`${BASE_URL}/integrations/${providerId}/export`));
  if (!response.ok) throw new Error(`The export failed with status ${response.status}.`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${providerId}.ndjson`;
  link.click();
  URL.revokeObjectURL(link.href);
}
