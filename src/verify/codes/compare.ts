import type { CodeEntries } from "./code.ts";

/** Differences between the provider's OpenAPI document and the contract (contract 4). */
export const compareCodes = {
  compare_operation_missing: {
    severity: "error",
    title: "The document has no operation that matches this call",
    section: "4.2",
    fix: "Add the path and the method; every id in a path is a string.",
  },
  compare_security_differs: {
    severity: "error",
    title: "The document requires credentials other than a bearer token",
    section: "5",
    fix: "Describe the security as `type: http, scheme: bearer`: the platform sends `Authorization: Bearer <PROVIDER_TOKEN>`.",
  },
  compare_request_refused: {
    severity: "error",
    title: "According to the document, a call of the platform is invalid",
    section: "4.2",
    fix: "Allow what the platform sends: do not require more than the contract does, and allow its values.",
  },
  compare_request_undocumented: {
    severity: "warning",
    title: "The document does not describe something that the platform sends",
    section: "4.2",
    fix: "Add it to the document, so that readers know what to expect.",
  },
  compare_tenant_header_undocumented: {
    severity: "warning",
    title: "The document does not describe how the organisation is sent",
    section: "4.1",
    fix: "Put /providers/{providerId} before every path, or add the header X-Provider-Id or X-Platform-Provider-Id.",
  },
  compare_status_missing: {
    severity: "error",
    title: "The document omits a success status",
    section: "4.2",
    fix: "Add the response with the status that the contract defines.",
  },
  compare_status_undocumented: {
    severity: "warning",
    title: "The document omits a refusal status",
    section: "4.2",
    fix: "Add the response: the platform acts differently on 404, 409 and other statuses.",
  },
  compare_answer_differs: {
    severity: "error",
    title: "According to the document, a response lacks what the platform reads",
    section: "2",
    fix: "Add the field with the contract's type to the response's schema.",
  },
  compare_answer_undocumented: {
    severity: "warning",
    title: "The document does not describe a response",
    section: "4.2",
    fix: "Add the response's content: application/json with its schema.",
  },
  compare_not_comparable: {
    severity: "warning",
    title: "A part of the document cannot be compared",
    section: "4.2",
    fix: "Describe the body as application/json.",
  },
} as const satisfies CodeEntries;
