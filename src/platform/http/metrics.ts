import type { RequestHandler } from "express";
import type { Metrics } from "../metrics/metrics.ts";

/** `GET /metrics`, without a token like the health checks: the platform listens on the machine's own address only. */
export function metricsHandler(metrics: Pick<Metrics, "text" | "contentType">): RequestHandler {
  return async (_request, response) => {
    response
      .set("Cache-Control", "no-store")
      .type(metrics.contentType)
      .send(await metrics.text());
  };
}
