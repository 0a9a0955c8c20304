import { type Exchange, isReply } from "../exchange.ts";
import { isObject } from "../json-object.ts";

/** Returns the entries of a list or of the registry, or the single object of a response. */
export function rowsOf(exchange: Exchange): Readonly<Record<string, unknown>>[] {
  if (!isReply(exchange) || exchange.answer.status >= 300) return [];
  const { json } = exchange.answer;
  const list = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.candidates)
      ? json.candidates
      : [json];
  return list.filter(isObject);
}
