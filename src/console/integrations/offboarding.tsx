import { useState } from "preact/hooks";
import type { FutureBookings, Integration } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ConfirmedAction } from "../components/dialog.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";

interface Props {
  integration: Integration;
  /** Read again more often, for the number of remaining bookings. */
  latest: Integration;
  reload(): void;
}

/** The steps in which an organisation leaves: offboard, save what is needed, delete. */
export function Offboarding(props: Props) {
  if (!props.integration.offboarding) return <OffboardButton {...props} />;
  return <Steps {...props} />;
}

const CHOICES: readonly (readonly [FutureBookings, string])[] = [
  ["unassign", "Unassign everyone from the shifts that have not started"],
  ["keep", "Leave everyone on the shifts; the platform forgets them"],
];

function OffboardButton({ integration: { providerId, name }, reload }: Props) {
  const [bookings, setBookings] = useState<FutureBookings>("unassign");
  const offboard = async () => {
    await ask(api.offboardIntegration({ params: { path: { providerId } }, body: { bookings } }));
    reload();
    return `${name} is being offboarded.`;
  };
  return (
    <p>
      <ConfirmedAction
        label="Offboard …"
        title={`Offboard ${name}?`}
        confirm={`Offboard ${name}`}
        act={offboard}
        focusAfter="registration-title"
      >
        <ul class="effects">
          <li>
            The integration is suspended: webhooks are stored and wait, jobs are not offered and take no new
            bookings, and a candidate who accepts an offer is refused.
          </li>
          <li>
            To unassign is final: for each booking on a shift that has not started, the provider is asked to
            take the candidate off. Activating the integration again does not bring them back.
          </li>
          <li>Mail that waits is still sent.</li>
        </ul>
        <p>
          Afterwards you can save its jobs and delete it. Until then, activating it again ends the
          offboarding.
        </p>
        <fieldset class="choices">
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
      </ConfirmedAction>
    </p>
  );
}

function Steps({ integration, latest, reload }: Props) {
  const { since, remaining = 0, deletionRequestedAt } = latest.offboarding ?? integration.offboarding ?? {};
  if (deletionRequestedAt) {
    return (
      <p role="status">
        All data of the organisation is being deleted, as requested <Time at={deletionRequestedAt} />.
      </p>
    );
  }
  return (
    <section class="stack" aria-label="Offboarding">
      <p>
        Being offboarded{since && " since "}
        {since && <Time at={since} />}.{" "}
        {remaining > 0
          ? `The provider has not confirmed yet that ${counted(remaining, "booking")} ended.`
          : "No booking has to end at the provider."}
      </p>
      {remaining === 0 && (
        <p class="row">
          <Delete {...latest} reload={reload} />
        </p>
      )}
    </section>
  );
}

function Delete({ providerId, name, offboarding, reload }: Integration & Pick<Props, "reload">) {
  const remove = async () => {
    await ask(api.deleteIntegration({ params: { path: { providerId } } }));
    reload();
    return `The deletion of ${name} is requested.`;
  };
  return (
    <ConfirmedAction
      label="Delete permanently …"
      title={`Delete ${name} permanently?`}
      confirm={`Delete ${name} permanently`}
      act={remove}
      typed={name}
      focusAfter="registration-title"
    >
      <p>
        This cannot be undone. Save its jobs as CSV first if you may need them; the guide for operators has
        the command for everything else.
      </p>
      <ul class="effects">
        <li>Its platform token stops working: webhooks are rejected with 401 from now on.</li>
        <li>Its jobs, bookings, events, traces, and issues are deleted.</li>
        <li>Its offers and other notifications are deleted. Mail that waits is not sent.</li>
        {offboarding?.bookings === "keep" && (
          <li>Booked candidates stay on the provider's shifts, and the platform forgets that they do.</li>
        )}
        <li>Candidates, workplaces, competences, and the audit log stay.</li>
      </ul>
    </ConfirmedAction>
  );
}
