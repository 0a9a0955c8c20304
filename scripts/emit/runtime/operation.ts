import type { Request } from "express";

/** What the document says about an operation, as far as a router, a hook or a test needs it. */
export interface OperationInfo {
  readonly operationId: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** The path template of the document: "/books/{bookId}". */
  readonly path: string;
  /** Names of the security schemes; empty when anyone may call. */
  readonly security: readonly string[];
  readonly parameters: readonly ParameterInfo[];
  readonly body?: { readonly required: boolean; readonly contentType: string };
  /** The content type for each declared status; null when the response has no body. */
  readonly responses: Readonly<Record<string, string | null>>;
}

export interface ParameterInfo {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean";
  /** How several values are written on the wire; absent for a single value. */
  readonly list?: "repeated" | "commas";
}

/**
 * A handler gets decoded, validated values and answers with one of the declared responses. `Complete` has, by status and for every
 * `problem`, the bodies that should be sent where the document lets a reader take less.
 */
export type Handler<Operation, Context, Complete = unknown> = (
  request: OperationRequest<Operation>,
  context: Context,
) => OperationResponse<Operation, Complete> | Promise<OperationResponse<Operation, Complete>>;

export interface OperationRequest<Operation> {
  readonly path: RequestPart<Operation, "path">;
  /** Parameters that the document does not declare are left out. */
  readonly query: RequestPart<Operation, "query">;
  /** By the names of the document, whatever case they came in. */
  readonly headers: RequestPart<Operation, "header">;
  readonly body: RequestBody<Operation>;
  readonly raw: Request;
}

type NoParameters = Readonly<Record<string, never>>;

/** The parameters of an operation that stand in one place. */
export type RequestPart<Operation, Where extends string> = Operation extends {
  parameters: { [W in Where]?: infer Part };
}
  ? [NonNullable<Part>] extends [never]
    ? NoParameters
    : NonNullable<Part>
  : NoParameters;

/** The body of a request; undefined where the document has none or lets it be left out. */
export type RequestBody<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : Operation extends { requestBody?: { content: infer Content } }
    ? Content[keyof Content] | undefined
    : undefined;

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** The body of the response with this status. */
export type ResponseBody<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ResponsesOf<Operation>[Status] extends { content: infer Content }
    ? Content[keyof Content]
    : never
  : never;

type SentBody<Operation, Status, Complete> = Status extends keyof Complete
  ? Complete[Status]
  : Complete extends { problem: infer Problem }
    ? ResponsesOf<Operation>[Status & keyof ResponsesOf<Operation>] extends {
        content: { "application/problem+json": unknown };
      }
      ? Problem
      : ResponseBody<Operation, Status>
    : ResponseBody<Operation, Status>;

/** The union of the declared responses: `{ status: 200, body: Book } | { status: 204 }`. */
export type OperationResponse<Operation, Complete = unknown> = {
  [Status in keyof ResponsesOf<Operation>]: ResponseWith<
    Status extends number ? Status : Exclude<ErrorStatus, keyof ResponsesOf<Operation>>,
    SentBody<Operation, Status, Complete>
  >;
}[keyof ResponsesOf<Operation>];

type ResponseWith<Status, Body> = [Body] extends [never]
  ? { status: Status; body?: never; headers?: Readonly<Record<string, string>> }
  : { status: Status; body: Body; headers?: Readonly<Record<string, string>> };

/** What a `default` response may be sent with. */
type ErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 408
  | 409
  | 410
  | 412
  | 413
  | 415
  | 422
  | 423
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504;
