import { EventSourceParserStream } from "eventsource-parser/stream";
import { withStatus } from "./client.ts";

/** Returns the result of a call whose `data` are server-sent events (WHATWG HTML, section 9.2), each with its `data` as JSON. */
export async function withEvents<Outcome>(
  call: Promise<{ data?: ReadableStream<Uint8Array<ArrayBuffer>> | null; response: Response }>,
): Promise<Outcome> {
  const result = await call;
  const { data: body } = result;
  return withStatus(Promise.resolve(body ? { ...result, data: eventsOf(body) } : result));
}

/** The connection closes when the reader stops. */
async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<object> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = messages.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const { event = "message", data, id } = value;
      yield { ...(id !== undefined && { id }), event, data: JSON.parse(data) };
    }
  } finally {
    await reader.cancel();
  }
}
