import type { Request } from "express";
import { type ProblemCode, problem } from "../../contract/problem.ts";
import { bearerToken, isSameToken } from "../../runtime/bearer-token.ts";
import { readContent } from "../../runtime/body.ts";
import { ProblemError } from "../../runtime/problem.ts";
import { BODY_LIMIT } from "../../runtime/server.ts";
import type { Code } from "../codes/codes.ts";
import { type Found, found, type Place } from "../finding.ts";
import type { WebhookOperation, WebhookOperationId } from "./webhook-operations.ts";

export interface Refused {
  kind: "refused";
  problem: ProblemError;
  found: readonly Found[];
}

/** decisions, "{provider} path segment". */
const KIND = /^[a-z][a-z0-9-]{1,31}$/;
/** Names and UUIDs. Other segments may contain anything. */
const SHOWN = /^(?:[a-z][a-z0-9-]{0,31}|v\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i;

type Details = Pick<Found, "expected" | "actual"> & { operation?: Place };

export function refuse(answer: ProblemError, code: Code, details: Details): Refused {
  return { kind: "refused", problem: answer, found: [found(code, details)] };
}

export function refusePath({ method, path }: Request): Refused {
  const segments = path.split("/").slice(0, 10);
  const shown = segments.map((segment) => (SHOWN.test(segment) ? segment : "*")).join("/");
  const detail = "There is no resource at this path.";
  const expected = "POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider";
  const actual = `${method} ${shown}`;
  return refuse(problem("not_found", { detail }), "webhook_path_wrong", { expected, actual });
}

export function refuseMethod({ method }: Request, { operationId }: WebhookOperation): Refused {
  const details = { operation: operationId, expected: "POST", actual: method };
  return refuse(problem("method_not_allowed", {}, { Allow: "POST" }), "webhook_method_wrong", details);
}

/** Returns undefined if token and kind are right. The token is checked first, like at the platform. */
export function judgeHead(
  request: Request,
  operation: WebhookOperationId,
  token: string,
): Refused | undefined {
  const header = request.headers.authorization;
  const given = bearerToken(header);
  const refuseToken = (code: Code, actual: string) => {
    const [expected, headers] = ["Authorization: Bearer <PLATFORM_TOKEN>", { "WWW-Authenticate": "Bearer" }];
    const unauthorized = problem("unauthorized", { detail: `Send \`${expected}\`.` }, headers);
    return refuse(unauthorized, code, { operation, expected, actual });
  };
  if (header === undefined) return refuseToken("webhook_token_missing", "no Authorization header");
  if (given === undefined) return refuseToken("webhook_scheme_wrong", "another Authorization header");
  if (!isSameToken(given, token)) return refuseToken("webhook_token_wrong", "Bearer with another token");
  return judgeKind(request, operation);
}

function judgeKind({ params }: Request, operation: WebhookOperationId): Refused | undefined {
  const { provider: kind } = params;
  if (typeof kind !== "string" || KIND.test(kind)) return undefined;
  const [expected, actual] = [`a kind that matches ${KIND.source}`, "another string"];
  return refuse(problem("provider_kind_unknown"), "webhook_kind_wrong", { operation, expected, actual });
}

const BODY_CODES: Partial<Record<ProblemCode, Code>> = {
  unsupported_media_type: "webhook_content_type_wrong",
  payload_too_large: "webhook_body_too_large",
};

export async function readBody(
  request: Request,
  { operationId, body }: WebhookOperation,
): Promise<{ kind: "json"; value: unknown } | Refused> {
  try {
    return { kind: "json", value: await readContent(request, { ...body, limit: BODY_LIMIT }) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail = "" } = error.problem;
    const finding = BODY_CODES[code as ProblemCode] ?? "webhook_body_not_json";
    const actual = finding === "webhook_content_type_wrong" ? contentTypeOf(request) : detail;
    const expected = `a body of ${body.contentType}, complete and at most 64 kB`;
    return refuse(error, finding, { operation: operationId, expected, actual });
  }
}

function contentTypeOf({ headers }: Request): string {
  const type = headers["content-type"];
  const encoding = headers["content-encoding"];
  const label = type === undefined ? "no Content-Type" : `Content-Type: ${type.slice(0, 100)}`;
  return encoding === undefined ? label : `${label}, Content-Encoding: ${encoding.slice(0, 20)}`;
}
