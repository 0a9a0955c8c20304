import { useLocation } from "preact-iso";
import type { Candidate } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { fullName } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { ConfirmedAction } from "../parts/confirmed-action.tsx";

/** Erases a person, once the operator has confirmed it. */
export function Erase({ person }: { person: Candidate }) {
  const { route } = useLocation();
  const name = fullName(person) || "this person";
  const erase = async () => {
    await ask(api.eraseCandidate({ params: { path: { candidateId: person.candidateId } } }));
    route("/console/people", true);
    return "The person is erased.";
  };
  return (
    <ConfirmedAction
      label="Erase …"
      title={`Erase ${name}?`}
      confirm={`Erase ${name}`}
      act={erase}
      focusAfter="main"
    >
      <p>
        The name, the personal number, the addresses, and the notifications are deleted everywhere on the
        platform. Past bookings stay without a name. This cannot be undone.
      </p>
      <p>
        A person who is booked for a shift that has not ended cannot be erased: withdraw the booking first.
      </p>
    </ConfirmedAction>
  );
}
