import type { Deps } from "../deps.ts";
import { traceOf } from "../work/trace-of.ts";
import type { Run } from "../work/worker.ts";

type Traced = Pick<Deps, "tracing" | "database">;

/** The run in a span that continues the trace of the webhook, the booking or the notification that it is about. */
export function traced({ tracing, database }: Traced, run: Run): Run {
  if (!tracing.isOn) return run;
  return async (claim, signal, exclude) => {
    const { kind, providerId } = claim;
    const { traceId, traceparent } = (await traceOf(database.kysely, claim)) ?? {};
    const about = {
      ...{
        name: `run ${kind}`,
        kind: "internal" as const,
        isFirst: true as const,
        parent: traceparent ?? undefined,
      },
      ...(traceId !== undefined && { traceId }),
      attributes: { "shiftpact.provider_id": providerId, "shiftpact.attempts": claim.attempts },
    };
    await tracing.span(about, () => run(claim, signal, exclude));
  };
}
