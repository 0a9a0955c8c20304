import { withoutTrailingSlashes } from "../contract/base-url.ts";
import type { Env } from "./setting-kinds.ts";

/** Where telemetry is sent, from the standard variables of OpenTelemetry. */
export interface Telemetry {
  /** Without the path of a signal. */
  endpoint: string;
  headers: Record<string, string>;
  /** Of the resource, with `service.name`. */
  attributes: Record<string, string>;
  sampler: SamplerName;
  /** The share of traces, from 0 to 1. */
  share: number;
}

const SAMPLERS = [
  ...["always_on", "always_off", "traceidratio"],
  ...["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"],
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** What is wrong, without a value: a header may be a secret. */
export function telemetryFaults(env: Env): string[] {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return [];
  const faults: readonly (readonly [isPresent: boolean, fault: string])[] = [
    [
      !/^https?:\/\/[^\s]+$/.test(env.OTEL_EXPORTER_OTLP_ENDPOINT),
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, such as http://127.0.0.1:4318",
    ],
    [
      !["", "http/json", "http/protobuf"].includes(env.OTEL_EXPORTER_OTLP_PROTOCOL ?? ""),
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json or unset: the platform sends no gRPC",
    ],
    [samplerOf(env) === undefined, `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(", ")}`],
    [!isShare(env.OTEL_TRACES_SAMPLER_ARG || "1"), "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"],
    ...(["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"] as const).map(
      (name) =>
        [pairsOf(env[name]) === undefined, `${name} must be name=value, with commas in between`] as const,
    ),
  ];
  return faults.filter(([isPresent]) => isPresent).map(([, fault]) => fault);
}

/** Undefined: nothing is sent. */
export function readTelemetry(env: Env): Telemetry | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service } = env;
  if (!endpoint || env.OTEL_SDK_DISABLED === "true") return undefined;
  return {
    endpoint: withoutTrailingSlashes(endpoint),
    headers: pairsOf(env.OTEL_EXPORTER_OTLP_HEADERS) ?? {},
    attributes: {
      "service.name": "shiftpact",
      ...pairsOf(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(service && { "service.name": service }),
    },
    sampler: samplerOf(env) ?? "parentbased_always_on",
    share: Number(env.OTEL_TRACES_SAMPLER_ARG || 1),
  };
}

const samplerOf = ({ OTEL_TRACES_SAMPLER: name }: Env): SamplerName | undefined =>
  SAMPLERS.find((each) => each === (name || "parentbased_always_on"));

const isShare = (text: string) => Number(text) >= 0 && Number(text) <= 1;

/** `a=1,b=2`, percent-encoded. */
function pairsOf(text = ""): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(",").filter((each) => each.trim() !== "")) {
    const at = pair.indexOf("=");
    if (at < 1) return undefined;
    try {
      pairs[pair.slice(0, at).trim()] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return pairs;
}
