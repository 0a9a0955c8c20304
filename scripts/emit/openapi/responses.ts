import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord, type Schema } from "../schema.ts";
import { EVENT_STREAM, jsonContent } from "./media-types.ts";

/** One entry of a Responses Object (OpenAPI 3.1, section 4.8.16). */
export interface DeclaredResponse {
  readonly status: string;
  /** Both undefined when the response has no body. */
  readonly contentType: string | undefined;
  readonly schema: Schema | undefined;
  readonly place: Place;
}

export function responsesOf(value: unknown, place: Place): DeclaredResponse[] {
  const entries = isRecord(value) ? Object.entries(value).filter(([key]) => !key.startsWith("x-")) : [];
  if (entries.length === 0) throw new SpecFault(place, "the operation declares no response", "add one");
  const responses = entries.map(([status, response]) => {
    const below = at(place, status);
    if (!/^[2-5]\d\d$/.test(status) && status !== "default") {
      throw new SpecFault(below, `the status "${status}" is not supported`, "write each status, or default");
    }
    const stream = status === "200" ? EVENT_STREAM : undefined;
    const content = isRecord(response)
      ? jsonContent(response.content, at(below, "content"), stream)
      : undefined;
    return {
      status,
      contentType: content?.contentType,
      schema: content?.schema,
      place: content?.place ?? below,
    };
  });
  if (!responses.some(({ status }) => status.startsWith("2") || status.startsWith("3")))
    throw new SpecFault(
      place,
      "the operation declares no success",
      "add one, such as 200: default stands for errors",
    );
  return responses;
}
