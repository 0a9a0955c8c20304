import type { MaybeOptionalInit } from "openapi-fetch";

type Methods = "get" | "put" | "post" | "delete" | "patch";

/** The arguments of a client method: one, required as soon as the operation requires a parameter or a body. */
export type Init<Paths, Path extends keyof Paths, Method extends Methods & keyof Paths[Path]> =
  undefined extends MaybeOptionalInit<Paths[Path], Method>
    ? [init?: NonNullable<MaybeOptionalInit<Paths[Path], Method>>]
    : [init: MaybeOptionalInit<Paths[Path], Method>];

/** A client method. It resolves with `data` or `error`, whose type follows from `status`; it rejects only when no answer came. */
export type Call<Paths, Path extends keyof Paths, Method extends Methods & keyof Paths[Path]> = (
  ...init: Init<Paths, Path, Method>
) => Promise<Result<Paths[Path][Method]>>;

/** What came of a call. */
export type Result<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends "default"
        ? Failed<Exclude<ErrorStatus, keyof Responses>, Body<Responses[Status]>>
        : Status extends OkStatus
          ? Succeeded<Status, Body<Responses[Status]>>
          : Failed<Status, Body<Responses[Status]>>;
    }[keyof Responses]
  : never;

interface Succeeded<Status, Data> {
  status: Status;
  data: Data;
  error?: never;
  response: Response;
}

interface Failed<Status, Problem> {
  status: Status;
  data?: never;
  error: Problem;
  response: Response;
}

type Body<Answer> = Answer extends { content: infer Content } ? Content[keyof Content] : undefined;

type OkStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

/** Where a document says `default`, any of these that it does not name. */
type ErrorStatus =
  | (
      | 400
      | 401
      | 402
      | 403
      | 404
      | 405
      | 406
      | 407
      | 408
      | 409
      | 410
      | 411
      | 412
      | 413
      | 414
      | 415
      | 416
      | 417
    )
  | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);

/** The result of openapi-fetch with its status beside it: TypeScript cannot tell results apart by `response.status`. */
export async function withStatus<Told>(call: Promise<{ response: Response }>): Promise<Told> {
  const result = await call;
  return { ...result, status: result.response.status } as Told;
}
