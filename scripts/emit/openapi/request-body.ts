import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord } from "../schema.ts";
import { type JsonContent, jsonContent } from "./media-types.ts";

/** A Request Body Object (OpenAPI 3.1, section 4.8.13). */
export interface RequestBody extends JsonContent {
  readonly required: boolean;
}

export function requestBodyOf(value: unknown, place: Place): RequestBody | undefined {
  if (!isRecord(value)) return undefined;
  const content = jsonContent(value.content, at(place, "content"));
  if (content === undefined) {
    throw new SpecFault(
      place,
      "the request body has no content",
      "add a media type, or remove the request body",
    );
  }
  return { ...content, required: value.required === true };
}
