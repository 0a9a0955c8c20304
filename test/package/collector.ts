import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listening, untilReset } from "../harness/http.ts";

export interface SentSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Record<string, string | number>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

/** Accepts traces over OTLP/HTTP as JSON, as a collector does. */
export async function startCollector() {
  const spans: SentSpan[] = [];
  const server = createServer(
    untilReset(async (request, response) => {
      // biome-ignore lint/suspicious/noExplicitAny: OTLP as JSON.
      const body = (await json(request)) as any;
      for (const { scopeSpans } of body.resourceSpans ?? [])
        for (const span of scopeSpans.flatMap((each: { spans: unknown[] }) => each.spans))
          spans.push({ ...span, attributes: attributesOf(span.attributes) });
      response.setHeader("Content-Type", "application/json").end("{}");
    }),
  );
  return { ...(await listening(server)), spans };
}

function attributesOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? ""]),
  );
}
