import { DAY_MS } from "../../contract/timestamp.ts";
import { Time } from "../components/time.tsx";
import { may, me } from "./me.ts";

const WARNED_MS = 14 * DAY_MS;

/** Whether a token expires within 14 days. */
export const isEnding = (validUntil: string): boolean => Date.parse(validUntil) - Date.now() < WARNED_MS;

/** Warns the operator whose token expires soon. */
export function ExpiryNotice() {
  const validUntil = me.value?.tokenValidUntil;
  if (validUntil === undefined || !isEnding(validUntil)) return null;
  return (
    <p class="notice">
      Your token expires <Time at={validUntil} />.{" "}
      {may("rotateOperatorToken") ? (
        <>
          Make another under <a href="/console/operators">Operators</a>.
        </>
      ) : (
        "Ask an admin for another."
      )}
    </p>
  );
}
