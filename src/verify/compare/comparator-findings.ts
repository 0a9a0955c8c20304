import { operationsTable } from "../../../generated/provider/server.ts";
import type { Code } from "../codes/codes.ts";
import type { PactInteraction } from "../contracts.ts";
import { type Found, found, type Place } from "../finding.ts";
import { operationOf } from "../pact/interaction.ts";
import type { Result } from "./comparator.ts";

/** Headers for tracing: the contract does not ask a provider to name them. */
const TRACING = /request\.headers\.(?:x-trace-id|traceparent)$/i;
/** One of the two is enough, and is looked for by itself. */
const TENANT = /request\.headers\.x-(?:platform-)?provider-id$/i;

/** Pages of the registry: a provider that ignores them works (decisions, "registry pagination"). */
const PAGING = /: (?:limit|cursor)$/;

/** The finding code for each code of the comparator; message codes do not occur with HTTP interactions. */
const CODES: Readonly<Record<string, Code>> = {
  "request.path-or-method.unknown": "compare_operation_missing",
  "request.authorization.missing": "compare_security_differs",
  "request.accept.incompatible": "compare_request_refused",
  "request.body.incompatible": "compare_request_refused",
  "request.content-type.incompatible": "compare_request_refused",
  "request.header.incompatible": "compare_request_refused",
  "request.query.incompatible": "compare_request_refused",
  "request.accept.unknown": "compare_request_undocumented",
  "request.body.unknown": "compare_request_undocumented",
  "request.content-type.missing": "compare_request_undocumented",
  "request.content-type.unknown": "compare_request_undocumented",
  "request.header.unknown": "compare_request_undocumented",
  "request.query.unknown": "compare_request_undocumented",
  "response.body.incompatible": "compare_answer_differs",
  "response.content-type.incompatible": "compare_answer_differs",
  "response.header.incompatible": "compare_answer_differs",
  "response.header.unknown": "compare_answer_differs",
  "response.body.unknown": "compare_answer_undocumented",
  "response.content-type.unknown": "compare_answer_undocumented",
  "response.status.unknown": "compare_status_missing",
  "request.body.unvalidatable": "compare_not_comparable",
  "response.body.unvalidatable": "compare_not_comparable",
};

/** Returns undefined when there is nothing to report. */
export function outcomeOf(result: Result, interaction: PactInteraction): Found | undefined {
  const code = codeOf(result, interaction);
  if (code === undefined) return undefined;
  const operation = operationOf(interaction);
  if (code === "compare_operation_missing") return missing(operation);
  const { method = "", path = "" } = interaction.request ?? {};
  const where = [whereIn(result.mockDetails?.location), result.specDetails?.location].filter(Boolean);
  return found(code, {
    operation,
    expected: `${interaction.description}: ${method} ${path}, answered ${interaction.response?.status}`,
    actual: `${result.message}${where.length > 0 ? ` (${where.join("; ")})` : ""}`,
  });
}

/** The same for every interaction that calls the operation. */
function missing(place: Place): Found {
  const operation = operationsTable.find(({ operationId }) => operationId === place);
  return found("compare_operation_missing", {
    operation: place,
    expected: `${operation?.method ?? ""} ${operation?.path ?? ""}`,
    actual: "no such path and method, or a path whose parameters refuse the platform's ids",
  });
}

function codeOf({ code, message, mockDetails }: Result, { response }: PactInteraction): Code | undefined {
  const status = response?.status ?? 0;
  const location = mockDetails?.location ?? "";
  if (code === "request.header.unknown" && (TRACING.test(location) || TENANT.test(location)))
    return undefined;
  if (code === "request.query.unknown" && PAGING.test(message)) return undefined;
  // What is not there is answered like that.
  if (code === "request.path-or-method.unknown" && (status === 404 || status === 405)) return undefined;
  if (code === "response.status.unknown" && status >= 400) return "compare_status_undocumented";
  return CODES[code];
}

/** `[root].interactions[0].response.body.id` is `response.body.id` to a reader. */
function whereIn(location: string | undefined): string | undefined {
  return location?.replace(/^\[root\]\.interactions\[\d+\]\.?/, "");
}
