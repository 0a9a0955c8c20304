import { type CodeEntries, error, warning } from "./code.ts";

/** Differences between the provider's OpenAPI document and the contract (contract 4). */
export const compareCodes = {
  compare_operation_missing: error("4.2", "The document has no operation that matches this call").fix(
    "Add the path and the method; every id in a path is a string.",
  ),
  compare_security_differs: error("5", "The document requires credentials other than a bearer token").fix(
    "Describe the security as `type: http, scheme: bearer`: the platform sends `Authorization: Bearer <PROVIDER_TOKEN>`.",
  ),
  compare_request_refused: error("4.2", "According to the document, a call of the platform is invalid").fix(
    "Allow what the platform sends: do not require more than the contract does, and allow its values.",
  ),
  compare_request_undocumented: warning(
    "4.2",
    "The document does not describe something that the platform sends",
  ).fix("Add it to the document, so that readers know what to expect."),
  compare_tenant_header_undocumented: warning(
    "4.1",
    "The document does not describe how the organisation is sent",
  ).fix(
    "Put /providers/{providerId} before every path, or add the header X-Provider-Id or X-Platform-Provider-Id.",
  ),
  compare_status_missing: error("4.2", "The document omits a success status").fix(
    "Add the response with the status that the contract defines.",
  ),
  compare_status_undocumented: warning("4.2", "The document omits a refusal status").fix(
    "Add the response: the platform acts differently on 404, 409 and other statuses.",
  ),
  compare_answer_differs: error(
    "2",
    "According to the document, a response lacks what the platform reads",
  ).fix("Add the field with the contract's type to the response's schema."),
  compare_field_omitted: warning("2", "The document does not describe optional fields of a response").fix(
    "Add the fields that the provider sends, with the contract's types; operators of the platform see the difference.",
  ),
  compare_positions_omitted: error("2.2", "The document describes no number of positions").fix(
    "Add `slots` (variant A) or `numberOfPositions` (variant B) to the shift, as an integer.",
  ),
  compare_answer_undocumented: warning("4.2", "The document does not describe a response").fix(
    "Add the response's content: application/json with its schema.",
  ),
  compare_not_comparable: warning("4.2", "A part of the document cannot be compared").fix(
    "Describe the body as application/json.",
  ),
} as const satisfies CodeEntries;
