import type { Middleware } from "openapi-fetch";

/** A token, or a function that returns the current one; undefined sends none. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export type Tokens = Readonly<Record<string, Token | undefined>>;

/** Where a security scheme of a document puts its token (OpenAPI 3.1, section 4.8.27). */
export interface TokenPlace {
  readonly in: "header" | "query";
  readonly name: string;
  readonly prefix: "Bearer " | "";
}

/** The security of a document. An operation needs all schemes of any one of its lists. */
export interface DocumentSecurity {
  readonly schemes: Readonly<Record<string, TokenPlace>>;
  /** By method and path: "GET /shifts/{shiftId}". */
  readonly operations: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** Returns the middleware that adds the tokens that an operation needs, and no others. A header of the caller's own stays. */
export function sendTokens({ schemes, operations }: DocumentSecurity, tokens: Tokens): Middleware {
  return {
    async onRequest({ request, schemaPath }) {
      for (const names of operations[`${request.method} ${schemaPath}`] ?? []) {
        const found = await Promise.all(names.map((name) => current(tokens[name])));
        if (found.includes(undefined)) continue;
        return names.reduce((sent, name, index) => withToken(sent, schemes[name], found[index]), request);
      }
      return undefined;
    },
  };
}

const current = (token: Token | undefined) => (typeof token === "function" ? token() : token);

function withToken(request: Request, place: TokenPlace | undefined, token = ""): Request {
  if (place?.in === "query") {
    const url = new URL(request.url);
    url.searchParams.set(place.name, token);
    return new Request(url, request);
  }
  if (place && !request.headers.has(place.name)) request.headers.set(place.name, place.prefix + token);
  return request;
}
