import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord, isSchema, type Schema } from "../schema.ts";

export interface JsonContent {
  readonly contentType: string;
  readonly schema: Schema;
  readonly place: Place;
}

/** Beside a JSON media type: other types that a sender may use. */
const ANY = "*/*";

/** Server-sent events; the schema describes one of them. */
export const EVENT_STREAM = "text/event-stream";

/** Returns the JSON media type of a `content` map (OpenAPI 3.1, section 4.8.14). Other content is refused, except any type beside it. */
export function jsonContent(content: unknown, place: Place, other?: string): JsonContent | undefined {
  if (!isRecord(content)) return undefined;
  const types = Object.keys(content);
  const [first, second] = types.length > 1 ? types.filter((type) => type !== ANY) : types;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    throw new SpecFault(
      place,
      `several media types (${first}, ${second}) are not supported`,
      "keep one of them",
    );
  }
  const below = at(place, first);
  if (!/^application\/(?:[a-z0-9.-]+\+)?json$/.test(first) && first !== other) {
    throw new SpecFault(
      below,
      `the media type ${first} is not supported`,
      "use application/json or application/...+json; a response with 200 may be text/event-stream",
    );
  }
  const media = content[first];
  if (!isRecord(media) || !isSchema(media.schema)) {
    throw new SpecFault(below, "the media type has no schema", "add 'schema'");
  }
  return { contentType: first, schema: media.schema, place: at(below, "schema") };
}
