import type { FieldError } from "./validator.ts";

/** A problem document (RFC 9457) with the members that every error of the API may have. */
export interface Problem {
  /** A URI that names the kind of problem; "about:blank" when the status is sufficient. */
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance?: string;
  /** A stable word for programs: "validation_failed". */
  code: string;
  traceId?: string;
  errors?: FieldError[];
}

/** The members of a problem beside its code and status. */
export type ProblemDetails = Partial<
  Pick<Problem, "type" | "title" | "detail" | "instance" | "traceId" | "errors">
>;

/** Thrown by a hook or a handler to send a problem document instead of a declared response. */
export class ProblemError extends Error {
  readonly status: number;
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  /** @param status an HTTP status of 400 to 599 */
  constructor(
    status: number,
    code: string,
    details: ProblemDetails = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(details.detail ?? code);
    this.name = "ProblemError";
    this.status = status;
    this.problem = { type: "about:blank", title: TITLES[status] ?? "Error", status, code, ...details };
    this.headers = headers;
  }
}

/** RFC 9110, section 15: the reason phrases of the statuses that such services send. */
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
