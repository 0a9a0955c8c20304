import type { CodeEntries } from "./code.ts";

/** What a provider does with input that is not right. */
export const inputCodes = {
  unknown_id_accepted: {
    severity: "error",
    title: "An id that nobody has is accepted",
    section: "4.2",
    fix: "Look the object up first, and answer 404 when it is not there.",
  },
  unknown_id_status: {
    severity: "warning",
    title: "An id that nobody has is refused with another status than 404",
    section: "4.2",
    fix: "Answer 404: the platform takes 404 and 410 for gone, and any other 4xx for a refusal that a person has to look at.",
  },
  unknown_id_tolerated: {
    severity: "warning",
    title: "An unassignment from a shift that nobody has is accepted",
    section: "4.2",
    fix: "Answer 404 when there is no such shift: an unassignment may find nobody to take off, but not no shift.",
  },
  malformed_accepted: {
    severity: "error",
    title: "A malformed request is accepted",
    section: "4.2",
    fix: "Answer 400 to what cannot be read.",
  },
  invalid_accepted: {
    severity: "error",
    title: "An invalid body is accepted",
    section: "2.4",
    fix: "Validate the body before storing anything, and answer 400 or 422.",
  },
  invalid_tolerated: {
    severity: "warning",
    title: "A body that the platform would never send is accepted",
    section: "4.2",
    fix: "Validate the body against spec/provider.openapi.yaml; what is stored wrongly is told wrongly later.",
  },
} as const satisfies CodeEntries;
