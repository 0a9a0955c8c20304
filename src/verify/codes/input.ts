import { type CodeEntries, error, warning } from "./code.ts";

/** Violations in the handling of invalid input. */
export const inputCodes = {
  unknown_id_accepted: error("4.2", "An unknown id is accepted").fix(
    "Look up the object first, and return 404 when it does not exist.",
  ),
  unknown_id_status: warning("4.2", "An unknown id is refused with a status other than 404").fix(
    "Return 404: the platform treats 404 and 410 as deleted, and any other 4xx as a refusal that an operator must resolve.",
  ),
  unknown_id_tolerated: warning("4.2", "An unassignment from an unknown shift is accepted").fix(
    "Return 404 when the shift does not exist: an unassignment may find no candidate, but the shift must exist.",
  ),
  malformed_accepted: error("4.2", "A malformed request is accepted").fix(
    "Return 400 for requests that cannot be parsed.",
  ),
  invalid_accepted: error("2.4", "An invalid body is accepted").fix(
    "Validate the body before storing anything, and return 400 or 422.",
  ),
  invalid_tolerated: warning("4.2", "A body that the platform would never send is accepted").fix(
    "Validate the body against spec/provider.openapi.yaml; invalid stored data is returned as invalid later.",
  ),
} as const satisfies CodeEntries;
