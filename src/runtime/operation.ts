import type { Request } from "express";
import type { ErrorStatus, MessageBody, RequestBody, RequestPart, ResponsesOf } from "./bodies.ts";

/** The part of an operation's document that a router, a hook or a test needs. */
export interface OperationInfo {
  readonly operationId: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** The path template of the document: "/books/{bookId}". */
  readonly path: string;
  /** Names of the security schemes; empty when anyone may call. */
  readonly security: readonly string[];
  /** The scopes or roles that the schemes require. */
  readonly scopes: readonly string[];
  readonly parameters: readonly ParameterInfo[];
  readonly body?: {
    readonly required: boolean;
    readonly contentType: string;
    /** Of a form whose fields are all bounded. In bytes. */
    readonly limit?: number;
  };
  /** The content type for each declared status; null when the response has no body. */
  readonly responses: Readonly<Record<string, string | null>>;
}

export interface ParameterInfo {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean";
  /** Several values are repeated names on the wire; absent for a single value. */
  readonly list?: "repeated";
}

/**
 * A handler gets decoded, validated values and returns one of the declared responses. `Complete` has, by status and for every
 * `problem`, the bodies that should be sent where the document lets a reader accept less.
 */
export type Handler<Operation, Context, Complete = unknown> = (
  request: OperationRequest<Operation>,
  context: Context,
) => OperationResponse<Operation, Complete> | Promise<OperationResponse<Operation, Complete>>;

export interface OperationRequest<Operation> {
  readonly path: RequestPart<Operation, "path">;
  /** Parameters that the document does not declare are left out. */
  readonly query: RequestPart<Operation, "query">;
  /** By the names of the document, regardless of their case in the request. */
  readonly headers: RequestPart<Operation, "header">;
  readonly body: RequestBody<Operation>;
  readonly raw: Request;
}

type SentBody<Operation, Status, Complete> = Status extends keyof Complete
  ? Complete[Status]
  : Complete extends { problem: infer Problem }
    ? ResponsesOf<Operation>[Status & keyof ResponsesOf<Operation>] extends {
        content: { "application/problem+json": unknown };
      }
      ? Problem
      : MessageBody<Operation, Status>
    : MessageBody<Operation, Status>;

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
