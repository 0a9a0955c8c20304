import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { type ProblemCode, problem } from "../../contract/problem.ts";
import { readJson } from "../../runtime/body.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { Code } from "../codes/codes.ts";
import { type Found, found, type Place } from "../finding.ts";
import type { WebhookOperation, WebhookOperationId } from "./webhook-operations.ts";

/** A request that the platform refuses: the response, and the findings. */
export interface Refused {
  kind: "refused";
  problem: ProblemError;
  found: readonly Found[];
}

/** The platform's own limit (decisions, "malformed; not authorised"). */
const BODY_LIMIT = 64 * 1024;
/** decisions, "{provider} path segment". */
const KIND = /^[a-z][a-z0-9-]{1,31}$/;
/** Names and UUIDs; any other segment may hold anything. */
const SHOWN = /^(?:[a-z][a-z0-9-]{0,31}|v\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i;

type Said = Pick<Found, "expected" | "actual"> & { operation?: Place };

export function refuse(answer: ProblemError, code: Code, said: Said): Refused {
  return { kind: "refused", problem: answer, found: [found(code, said)] };
}

export function refusePath({ method, path }: Request): Refused {
  const segments = path.split("/").slice(0, 10);
  const shown = segments.map((segment) => (SHOWN.test(segment) ? segment : "*")).join("/");
  return refuse(problem("not_found", { detail: "There is no resource at this path." }), "webhook_path_wrong", {
    expected: "POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider",
    actual: `${method} ${shown}`,
  });
}

export function refuseMethod({ method }: Request, { operationId }: WebhookOperation): Refused {
  const details = { operation: operationId, expected: "POST", actual: method };
  return refuse(problem("method_not_allowed", {}, { Allow: "POST" }), "webhook_method_wrong", details);
}

/** Undefined: the token and the kind are right. The token is judged first, as the platform does. */
export function judgeHead(
  request: Request,
  operation: WebhookOperationId,
  token: string,
): Refused | undefined {
  const header = request.headers.authorization;
  const given = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
  const said = { operation, expected: "Authorization: Bearer <PLATFORM_TOKEN>" };
  if (header === undefined) {
    return refuse(unauthorized(), "webhook_token_missing", { ...said, actual: "no Authorization header" });
  }
  if (given === undefined) {
    return refuse(unauthorized(), "webhook_scheme_wrong", {
      ...said,
      actual: "another Authorization header",
    });
  }
  if (!isSameToken(given, token)) {
    return refuse(unauthorized(), "webhook_token_wrong", { ...said, actual: "Bearer and another token" });
  }
  return judgeKind(request, operation);
}

function unauthorized(): ProblemError {
  const detail = "Send `Authorization: Bearer <PLATFORM_TOKEN>`.";
  return problem("unauthorized", { detail }, { "WWW-Authenticate": "Bearer" });
}

/** Compares without telling by its duration how much was right. */
function isSameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function judgeKind({ params }: Request, operation: WebhookOperationId): Refused | undefined {
  const { provider: kind } = params;
  if (typeof kind !== "string" || KIND.test(kind)) return undefined;
  return refuse(problem("provider_kind_unknown"), "webhook_kind_wrong", {
    operation,
    expected: `a kind that matches ${KIND.source}`,
    actual: "another text",
  });
}

/** What the body's problem is called here. */
const BODY_CODES: Partial<Record<ProblemCode, Code>> = {
  unsupported_media_type: "webhook_content_type_wrong",
  payload_too_large: "webhook_body_too_large",
};

export async function readBody(
  request: Request,
  { operationId, body }: WebhookOperation,
): Promise<{ kind: "json"; value: unknown } | Refused> {
  try {
    return { kind: "json", value: await readJson(request, { ...body, limit: BODY_LIMIT }) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail = "" } = error.problem;
    const ours = BODY_CODES[code as ProblemCode] ?? "webhook_body_not_json";
    const actual = ours === "webhook_content_type_wrong" ? contentTypeOf(request) : detail;
    const expected = `a body of ${body.contentType}, complete and at most 64 kB`;
    return refuse(error, ours, { operation: operationId, expected, actual });
  }
}

function contentTypeOf({ headers }: Request): string {
  const type = headers["content-type"];
  const encoding = headers["content-encoding"];
  const label = type === undefined ? "no Content-Type" : `Content-Type: ${type.slice(0, 100)}`;
  return encoding === undefined ? label : `${label}, Content-Encoding: ${encoding.slice(0, 20)}`;
}
