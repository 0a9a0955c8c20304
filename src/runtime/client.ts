import createHttp, {
  type ClientOptions as HttpOptions,
  type MaybeOptionalInit,
  type Middleware,
} from "openapi-fetch";
import type { ErrorStatus, MessageBody, ResponsesOf } from "./bodies.ts";
import { pathFiller, requireHeaders, requireQuery } from "./path.ts";
import { type DocumentSecurity, sendTokens, type Token, type Tokens } from "./tokens.ts";

export { ParameterError } from "./path.ts";
export type { Middleware, Token };

export interface Options<Scheme extends string> extends HttpOptions {
  /** The URL before the paths of the document, which names its first server as the default. */
  baseUrl?: string;
  /** By security scheme. Each call carries what its operation needs; an `Authorization` header among `headers` goes first. */
  tokens?: [Scheme] extends [never] ? undefined : { readonly [Name in Scheme]?: Token | undefined };
}

/** What a client has beside its operations. */
export interface Interceptors {
  /** Adds interceptors to every call from now on. The last one added is the first that gets the response. */
  use(...middleware: Middleware[]): void;
  /** Removes interceptors. */
  eject(...middleware: Middleware[]): void;
}

/** What a generated client knows of its document. */
interface ClientDocument {
  readonly server: string;
  /** The templates of all paths. */
  readonly paths: readonly string[];
  readonly security: DocumentSecurity;
}

/** Returns the openapi-fetch client behind a generated one. It makes no call whose values it cannot send as they are. */
export function openHttp<Paths extends object>(
  { tokens, baseUrl, ...options }: HttpOptions & { tokens?: Tokens | undefined },
  document: ClientDocument,
) {
  const http = createHttp<Paths>({ ...options, baseUrl: baseUrl ?? document.server });
  if (tokens) http.use(sendTokens(document.security, tokens));
  return { ...http, ...checked(http as unknown as Calls, document.paths) } as typeof http;
}

const VERBS = ["GET", "PUT", "POST", "DELETE", "PATCH"] as const;
type AnyCall = (path: string, init?: AnyInit) => Promise<unknown>;
type Calls = Readonly<Record<(typeof VERBS)[number], AnyCall>>;
interface AnyInit {
  readonly params?: Partial<Record<"path" | "query" | "header", Readonly<Record<string, unknown>>>>;
}

function checked(calls: Calls, templates: readonly string[]): Calls {
  const fillPath = pathFiller(templates);
  const check = (call: AnyCall): AnyCall => {
    return async (template, init) => {
      const { path = {}, query = {}, header = {} } = init?.params ?? {};
      fillPath(template, path);
      requireQuery(query);
      requireHeaders(header);
      return call(template, init);
    };
  };
  return Object.fromEntries(VERBS.map((verb) => [verb, check(calls[verb])])) as unknown as Calls;
}

type Methods = "get" | "put" | "post" | "delete" | "patch";

/** The arguments of a client method: one, required as soon as the operation requires a parameter or a body. */
export type Init<Paths, Path extends keyof Paths, Method extends Methods & keyof Paths[Path]> =
  undefined extends MaybeOptionalInit<Paths[Path], Method>
    ? [init?: NonNullable<MaybeOptionalInit<Paths[Path], Method>>]
    : [init: MaybeOptionalInit<Paths[Path], Method>];

/**
 * A client method. It resolves with `data` or `error`, whose type follows from `status`; it rejects only without a response, and before
 * the call with a `ParameterError`: a value cannot be sent as it is, or would lead to another path.
 */
export type Call<Paths, Path extends keyof Paths, Method extends Methods & keyof Paths[Path]> = (
  ...init: Init<Paths, Path, Method>
) => Promise<Result<Paths[Path][Method]>>;

/** The result of a call. */
export type Result<Operation> = {
  [Status in keyof ResponsesOf<Operation>]: `${Status & (string | number)}` extends `2${string}`
    ? Succeeded<Status, Body<Operation, Status>>
    : Failed<
        Status extends "default" ? Exclude<ErrorStatus, keyof ResponsesOf<Operation>> : Status,
        Body<Operation, Status>
      >;
}[keyof ResponsesOf<Operation>];

interface Succeeded<Status, Data> {
  status: Status;
  data: Data;
  error?: never;
  response: Response;
}

interface Failed<Status, Problem> {
  status: Status;
  data?: never;
  error: ReadError<Extract<Problem, object>>;
  response: Response;
}

/**
 * An error as the document has it, or the text of one whose body is not a JSON object, such as that of a proxy; the text may be empty. Neither the text
 * nor a list has the members of the object, so that `error.code` may be undefined.
 */
type ReadError<Problem, Members = MembersOf<Exclude<Problem, readonly unknown[]>>> =
  | (Problem extends readonly unknown[] ? Problem & Members : Problem)
  | ({ readonly text: string } & Members);

type MembersOf<Problem> = [Problem] extends [never]
  ? unknown
  : { readonly [Member in Exclude<keyof Problem, "text">]?: undefined };

/** Undefined where the document has none. */
type Body<Operation, Status> = [MessageBody<Operation, Status>] extends [never]
  ? undefined
  : MessageBody<Operation, Status>;

/** Returns the arguments of a call with the media type of its body: openapi-fetch sends each as application/json. */
export function sentAs<Arguments extends readonly unknown[]>(
  contentType: string,
  init: Arguments,
): Arguments {
  const { params, ...rest } = (init[0] ?? {}) as { params?: { header?: object } };
  const header = { ...params?.header, "Content-Type": contentType };
  return [{ ...rest, params: { ...params, header } }] as unknown as Arguments;
}

/** Returns the arguments of a call whose response is a page: openapi-fetch parses each as JSON. */
export function readAsText<Arguments extends readonly unknown[]>(init: Arguments): Arguments {
  return [{ ...(init[0] as object | undefined), parseAs: "text" }] as unknown as Arguments;
}

/** Returns the result of openapi-fetch with its status beside it: TypeScript cannot narrow by `response.status`. */
export async function withStatus<Outcome>(
  call: Promise<{ response: Response; error?: unknown }>,
): Promise<Outcome> {
  const result = await call;
  const { status, ok } = result.response;
  const isProblem = typeof result.error === "object" && result.error !== null;
  return {
    ...result,
    status,
    ...(!ok && !isProblem && { error: { text: String(result.error ?? "") } }),
  } as Outcome;
}
