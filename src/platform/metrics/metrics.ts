import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Database, Log } from "../db/database.ts";
import { withTimeout } from "../db/with-timeout.ts";
import { ACKNOWLEDGEMENT_EDGES, type Observer } from "./observer.ts";
import { type ProviderBacklog, type Readings, WAITING_STATUSES } from "./readings.ts";
import {
  countedProviders,
  labelsOf,
  MOST_PROVIDERS,
  type NamedProvider,
  worstProviders,
} from "./shown-providers.ts";

export interface Metrics extends Observer {
  /** So many events ended with this status. */
  eventsEnded(status: string, count: number): void;
  /** The Prometheus text format. When the database does not answer, its metrics are missing and `shiftpact_database_up` is 0. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** A kind and its providerId, never more: labels hold no personal data, and each value makes a time series of its own. */
const PROVIDER = ["kind", "provider_id"] as const;

/** Statuses that are counted one by one; any other counts by its class, so that a provider's statuses cannot add time series without limit. */
const STATUSES: ReadonlySet<number | undefined> = new Set([
  200, 201, 202, 204, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 415,
  422, 429, 500, 501, 502, 503, 504,
]);

/** What a process measures, in a registry of its own. */
interface Measured {
  /** Of the state of the work; rejects when the database does not answer. */
  readings: () => Promise<Readings>;
  ping: () => Promise<void>;
  /** Connections to the database, by pool; none: embedded. */
  pools?: Database["pools"];
  log: Log;
  /** Providers with series of their own. */
  mostProviders?: number;
  /** Labels of `shiftpact_build_info`. */
  about?: Readonly<Record<string, string>>;
}

export function createMetrics(measured: Measured): Metrics {
  const { readings, ping, pools, log, about = {}, mostProviders = MOST_PROVIDERS } = measured;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { acknowledgements, webhooks, stored, calls, durations, ended } = counted([registry]);
  const counting = countedProviders([stored, calls, durations], mostProviders);
  const providers = providerGauges([registry], PROVIDER);
  const show = gaugesOfDatabase([registry], providers);
  if (pools) poolGauge([registry], pools);
  const readOrLast = lastReading(readings, log);
  const help = "1: what runs here.";
  new Gauge({
    name: "shiftpact_build_info",
    help,
    labelNames: Object.keys(about),
    registers: [registry],
  }).set(about, 1);
  return {
    contentType: registry.contentType,
    eventsEnded: (status, count) => ended.inc({ status }, count),
    webhookStored: (provider) => {
      stored.inc({ ...counting.labels(provider) });
      providers.stored(provider);
    },
    webhookAnswered: (status, ms) => {
      webhooks.inc({ status });
      if (status === 200) acknowledgements.observe(ms / 1_000);
    },
    providerCalled: ({ kind, providerId, operation, status, seconds }) => {
      const call = { ...counting.labels({ kind, providerId }), operation };
      const outcome = status === undefined ? "none" : `${Math.floor(status / 100)}xx`;
      calls.inc({ ...call, outcome, status: STATUSES.has(status) ? `${status}` : outcome });
      durations.observe(call, seconds);
    },
    text: async () => {
      await refresh();
      return registry.metrics();
    },
  };
  async function refresh() {
    const isUp = await withTimeout(ping()).then(
      () => true,
      () => false,
    );
    const read = isUp ? await readOrLast() : undefined;
    if (read) await counting.keep(read.backlogs);
    show(isUp, read && { ...read, backlogs: worstProviders(read.backlogs, mostProviders) });
  }
}

function poolGauge(registers: Registry[], pools: NonNullable<Measured["pools"]>): void {
  const connections = new Gauge({
    name: "shiftpact_database_connections",
    help: "Connections of this process by pool and state; waiting: statements that wait for one.",
    labelNames: ["pool", "state"],
    registers,
    collect: () => {
      for (const [pool, states] of Object.entries(pools()))
        for (const [state, count] of Object.entries(states)) connections.set({ pool, state }, count);
    },
  });
}

/** How long the previous reading is returned while a new one fails or is late: the largest backlog takes the longest to read. Milliseconds. */
const LAST_FOR_MS = 300_000;

function lastReading(readings: Measured["readings"], log: Log): () => Promise<Readings | undefined> {
  let last: { readings: Readings; at: number } | undefined;
  return async () => {
    try {
      const reading = readings();
      reading.then(
        (read) => {
          last = { readings: read, at: performance.now() };
        },
        () => undefined,
      );
      return await withTimeout(reading);
    } catch (error) {
      log.error({ err: error }, "could not read the metrics of the database");
      return last && performance.now() - last.at < LAST_FOR_MS ? last.readings : undefined;
    }
  };
}

/** Metrics that count what this process does. */
function counted(registers: Registry[]) {
  const acknowledgements = new Histogram({
    name: "shiftpact_acknowledgement_seconds",
    help: "From a webhook's arrival to its 200, after it was stored.",
    buckets: ACKNOWLEDGEMENT_EDGES.map((ms) => ms / 1_000),
    registers,
  });
  const webhooks = new Counter({
    name: "shiftpact_webhooks_total",
    help: "Webhooks answered, by status.",
    labelNames: ["status"],
    registers,
  });
  const stored = new Counter({
    name: "shiftpact_provider_webhooks_total",
    help: "Webhooks of a provider that this process stored, repeated ones included.",
    labelNames: PROVIDER,
    registers,
  });
  const calls = new Counter({
    name: "shiftpact_provider_calls_total",
    help: "Calls to providers, by status; outcome is its class, or `none` when no answer came.",
    labelNames: [...PROVIDER, "operation", "outcome", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "shiftpact_provider_call_seconds",
    help: "From a call to a provider to the last byte of its answer.",
    labelNames: [...PROVIDER, "operation"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const ended = new Counter({
    name: "shiftpact_events_ended_total",
    help: "Events that this process ended, by status.",
    labelNames: ["status"],
    registers,
  });
  return { acknowledgements, webhooks, stored, calls, durations, ended };
}

/** Gauges that are set from the database at each scrape. */
function gaugesOfDatabase(
  registers: Registry[],
  providers: ProviderGauges,
): (isUp: boolean, readings: Readings | undefined) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `shiftpact_${name}`, help, labelNames, registers });
  const up = gauge("database_up", "1: the database responds.");
  const events = gauge("events", "Events that are not done, by status; at most 10001.", ["status"]);
  const waiting = gauge(
    "events_waiting_seconds",
    "Since the oldest event that waits came; events of integrations that are not active do not count.",
  );
  const dead = gauge(
    "dead_letters",
    "Events that had no response after all attempts, at most 10001; their shifts are still read each hour.",
  );
  const showBacklogs = backlogGauges(registers, PROVIDER);
  const notifications = gauge(
    "notifications",
    "Notifications that are not delivered, by state; at most 10001.",
    ["state"],
  );
  const issues = gauge("open_issues", "What needs an operator, by code.", ["code"]);
  const all = [events, waiting, dead, notifications, issues];
  return (isUp, readings) => {
    up.set(isUp ? 1 : 0);
    for (const each of all) each.reset();
    showBacklogs(readings?.backlogs ?? []);
    providers.show(readings?.backlogs ?? []);
    if (!readings) {
      waiting.remove();
      return dead.remove();
    }
    for (const status of WAITING_STATUSES) events.set({ status }, readings.events[status] ?? 0);
    waiting.set(readings.waitingSeconds);
    dead.set(readings.events.dead ?? 0);
    for (const [state, count] of Object.entries(readings.notifications)) notifications.set({ state }, count);
    for (const { code, count } of readings.issues) issues.set({ code }, count);
  };
}

/** What is shown of each integration beside its backlog. */
export interface ProviderGauges {
  /** A webhook of the provider was stored by this process. */
  stored(provider: NamedProvider): void;
  show(providers: readonly ProviderBacklog[]): void;
}

/** `labels`: of the provider. */
function providerGauges(
  registers: Registry[],
  labels: readonly ["kind", "provider_id"],
  now: () => number = Date.now,
): ProviderGauges {
  /** In seconds: what is read has the minute. */
  const stored = new Map<string, number>();
  const last = new Gauge({
    name: "shiftpact_provider_last_webhook_timestamp_seconds",
    help: "When the last webhook of a provider was stored, to the minute; missing before the first.",
    labelNames: labels,
    registers,
  });
  const health = new Gauge({
    name: "shiftpact_provider_health",
    help: "1: the health of a provider; other codes are left out.",
    labelNames: [...labels, "code"],
    registers,
  });
  const pending = new Gauge({
    name: "shiftpact_provider_oldest_pending_booking_seconds",
    help: "For how long the oldest pending booking has waited for a provider; 0 when there is none.",
    labelNames: labels,
    registers,
  });
  return {
    stored: ({ providerId }) => void stored.set(providerId, Math.round(now() / 1_000)),
    show: (providers) => {
      for (const gauge of [last, health, pending]) gauge.reset();
      for (const provider of providers) {
        const { providerId, health: code, pendingSince, lastWebhookAt, readAt } = provider;
        const shown = labelsOf(provider);
        health.set({ ...shown, code }, 1);
        const ms = pendingSince === null ? 0 : readAt.getTime() - pendingSince.getTime();
        pending.set(shown, Math.max(0, ms / 1_000));
        const lastAt = Math.max(stored.get(providerId) ?? 0, (lastWebhookAt?.getTime() ?? 0) / 1_000);
        if (lastAt > 0) last.set(shown, lastAt);
      }
    },
  };
}

/** Gauges of what waits for each provider, as the operations document lists them ("Outside of this API"). */
function backlogGauges(
  registers: Registry[],
  provider: readonly ["kind", "provider_id"],
): (backlogs: readonly ProviderBacklog[]) => void {
  const gauge = <Label extends string>(name: string, help: string, more: Label[] = []) =>
    new Gauge({ name: `shiftpact_${name}`, help, labelNames: [...provider, ...more], registers });
  const waiting = gauge("provider_waiting", "Shifts, people and checks that wait for a provider.", [
    "priority",
  ]);
  const inProgress = gauge("provider_in_progress", "Shifts, people and checks in progress.");
  const oldest = gauge("provider_oldest_seconds", "For how long the oldest has waited.");
  const limited = gauge("provider_limited", "1: what limits the backlog of a provider.", ["limit"]);
  const mail = gauge("mail_waiting", "Notifications that wait to be mailed.");
  const all = [waiting, inProgress, oldest, limited, mail];
  return (backlogs) => {
    for (const each of all) each.reset();
    for (const { backlog, readAt, ...provider } of backlogs) {
      const of = labelsOf(provider);
      const { oldestAt } = backlog;
      for (const [priority, count] of Object.entries(backlog.waiting))
        waiting.set({ ...of, priority }, count);
      inProgress.set(of, backlog.inProgress);
      oldest.set(of, oldestAt === null ? 0 : Math.max(0, secondsBetween(oldestAt, readAt)));
      limited.set({ ...of, limit: backlog.limit.code }, 1);
      mail.set(of, backlog.mail);
    }
  };
}

const secondsBetween = (from: string, to: Date): number => (to.getTime() - Date.parse(from)) / 1_000;
