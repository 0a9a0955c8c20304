import type { Reply } from "../target.ts";

/** Where a redirect leads, without its query, which may hold a personal number or a token; undefined when it does not say. */
export function finalAddressOf({ answer, sent }: Reply): string | undefined {
  const address = URL.parse(answer.headers.location ?? "", sent.url);
  return answer.headers.location && address ? `${address.origin}${address.pathname}` : undefined;
}
