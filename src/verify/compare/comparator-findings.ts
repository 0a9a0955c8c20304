import type { Code } from "../codes/codes.ts";
import type { PactInteraction } from "../contracts.ts";
import { type Found, found, type Place } from "../finding.ts";
import { operationOf } from "../pact/interaction.ts";
import { callOf } from "../reporters/report-content.ts";
import type { Result } from "./comparator.ts";
import { POSITIONS } from "./optional-fields.ts";

/** Trace headers, which a provider need not document. */
const TRACING = /request\.headers\.(?:x-trace-id|traceparent)$/i;
/** Tenant headers. One of the two is enough, and `tenantHeader` checks them. */
const TENANT = /request\.headers\.x-(?:platform-)?provider-id$/i;

/** Pages of the registry: a provider that ignores them works (decisions, "registry pagination"). */
const PAGING = /: (?:limit|cursor)$/;

/** Finding codes by the code of the comparator: the first that fits. */
const CODES: readonly (readonly [RegExp, Code])[] = [
  [/\.unvalidatable$/, "compare_not_comparable"],
  [/^request\.path-or-method\./, "compare_operation_missing"],
  [/^request\.authorization\./, "compare_security_differs"],
  [/^request\..+\.incompatible$/, "compare_request_refused"],
  [/^request\./, "compare_request_undocumented"],
  [/^response\.status\./, "compare_status_missing"],
  [/^response\.(?:body|content-type)\.unknown$/, "compare_answer_undocumented"],
  [/./, "compare_answer_differs"],
];

export function outcomeOf(result: Result, interaction: PactInteraction): Found | undefined {
  const code = codeOf(result, interaction);
  if (code === undefined) return undefined;
  const operation = operationOf(interaction);
  if (code === "compare_operation_missing") return missing(operation);
  const { method = "", path = "" } = interaction.request ?? {};
  const where = [whereIn(result.mockDetails?.location), result.specDetails?.location].filter(Boolean);
  return found(code, {
    operation,
    expected: `${interaction.description}: ${method} ${path} with status ${interaction.response?.status}`,
    actual: `${result.message}${where.length > 0 ? ` (${where.join("; ")})` : ""}`,
  });
}

/** Returns the findings for optional fields that the document does not describe. */
export function omissions(omitted: readonly string[], interaction: PactInteraction): Found[] {
  const operation = operationOf(interaction);
  const isPositions = (name: string) => POSITIONS.includes(name);
  const others = omitted.filter((name) => !isPositions(name));
  const expected = "every field that the contract lists for this response";
  const actual = `without ${others.join(", ")}`;
  const positions = { operation, expected: POSITIONS.join(" or "), actual: "neither" };
  const haveNone = omitted.filter(isPositions).length === POSITIONS.length;
  return [
    ...(others.length > 0 ? [found("compare_field_omitted", { operation, expected, actual })] : []),
    ...(haveNone ? [found("compare_positions_omitted", positions)] : []),
  ];
}

/** Returns the same finding for every interaction of the operation. */
function missing(place: Place): Found {
  const actual = "no such path and method, or a path whose parameters refuse the platform's ids";
  return found("compare_operation_missing", { operation: place, expected: callOf(place), actual });
}

function codeOf({ code, message, mockDetails }: Result, { response }: PactInteraction): Code | undefined {
  const status = response?.status ?? 0;
  const location = mockDetails?.location ?? "";
  if (code === "request.header.unknown" && (TRACING.test(location) || TENANT.test(location)))
    return undefined;
  if (code === "request.query.unknown" && PAGING.test(message)) return undefined;
  // An operation that is not offered returns this status.
  if (code === "request.path-or-method.unknown" && (status === 404 || status === 405)) return undefined;
  if (code === "response.status.unknown" && status >= 400) return "compare_status_undocumented";
  return CODES.find(([pattern]) => pattern.test(code))?.[1];
}

/** Returns the location for readers: `response.body.id` for `[root].interactions[0].response.body.id`. */
function whereIn(location: string | undefined): string | undefined {
  return location?.replace(/^\[root\]\.interactions\[\d+\]\.?/, "");
}
