import type { CodeEntries } from "./code.ts";

/** Violations in the handling of invalid input. */
export const inputCodes = {
  unknown_id_accepted: {
    severity: "error",
    title: "An unknown id is accepted",
    section: "4.2",
    fix: "Look up the object first, and return 404 when it does not exist.",
  },
  unknown_id_status: {
    severity: "warning",
    title: "An unknown id is refused with a status other than 404",
    section: "4.2",
    fix: "Return 404: the platform treats 404 and 410 as deleted, and any other 4xx as a refusal that an operator must resolve.",
  },
  unknown_id_tolerated: {
    severity: "warning",
    title: "An unassignment from an unknown shift is accepted",
    section: "4.2",
    fix: "Return 404 when the shift does not exist: an unassignment may find no candidate, but the shift must exist.",
  },
  malformed_accepted: {
    severity: "error",
    title: "A malformed request is accepted",
    section: "4.2",
    fix: "Return 400 for requests that cannot be parsed.",
  },
  invalid_accepted: {
    severity: "error",
    title: "An invalid body is accepted",
    section: "2.4",
    fix: "Validate the body before storing anything, and return 400 or 422.",
  },
  invalid_tolerated: {
    severity: "warning",
    title: "A body that the platform would never send is accepted",
    section: "4.2",
    fix: "Validate the body against spec/provider.openapi.yaml; invalid stored data is returned as invalid later.",
  },
} as const satisfies CodeEntries;
