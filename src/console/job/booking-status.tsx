import type { Booking, BookingStatus } from "../../../generated/operations/types.ts";
import { bookingReasonText, bookingStatusText, entryOf } from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../parts/badge.tsx";
import { Time } from "../parts/time.tsx";

const TONES = {
  pending: "busy",
  confirmed: "good",
  released: "plain",
  failed: "bad",
} satisfies Record<BookingStatus, Tone>;

/** The status of a booking with its reason, a requested withdrawal, and a call of unknown outcome. */
export function BookingState({ booking, zone }: { booking: Booking; zone: string | undefined }) {
  const { status, reason, reasonParams, withdrawing, inDoubtSince } = booking;
  return (
    <span class="booking-state">
      <span class="badges">
        <Badge tone={entryOf<Tone>(TONES, status) ?? "plain"}>{bookingStatusText(status)}</Badge>
        {withdrawing && <Badge tone="warn">withdrawing</Badge>}
        {inDoubtSince !== undefined && <Badge tone="warn">outcome unknown</Badge>}
      </span>
      {reason !== undefined && <span class="soft">{bookingReasonText(reason, reasonParams)}</span>}
      {inDoubtSince !== undefined && (
        <span class="soft">
          The outcome of a call has been unknown since{" "}
          <Time at={inDoubtSince} exact {...(zone !== undefined && { zone })} />. The platform reads the shift
          to find out.
        </span>
      )}
    </span>
  );
}
