import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Request } from "express";
import { type Logger, pino } from "pino";
import type { Delivery } from "../clients/webhook-client.ts";
import { createApp } from "./app.ts";
import type { Context } from "./context.ts";
import type { FaultSettings } from "./faults/fault.ts";
import { createFaultSwitchboard, type FaultName } from "./faults/switchboard.ts";
import type { Organisations } from "./organisation.ts";
import {
  createActions,
  type OrganisationSnapshot,
  organisationFrom,
  type ProviderActions,
} from "./provider-actions.ts";
import { providerStates } from "./provider-states.ts";
import { seededOrganisation } from "./seed.ts";
import { type Forms, formsOf } from "./shift-body.ts";
import {
  createWebhooks,
  type PlatformConnection,
  type SentWebhook,
  type Webhooks,
  type WebhookTiming,
} from "./webhooks.ts";

export interface OrganisationOptions {
  /** UUID; random by default. */
  providerId?: string;
  /** PROVIDER_TOKEN; random by default. */
  token?: string;
  /** Receives webhooks; none are sent by default. */
  platform?: PlatformConnection;
  /** The organisation of an earlier sandbox; replaces `providerId`, `token` and the seed data. */
  snapshot?: OrganisationSnapshot;
}

export interface SandboxOptions extends OrganisationOptions {
  /** Any free port by default. */
  port?: number;
  /** The forms of the contract that it uses (contract/dialect.ts), and other differences between correct providers. */
  dialect?: Partial<Forms>;
  /** Active from the start. */
  faults?: readonly FaultName[];
  log?: Logger;
  /** Calls a minute from one address; 0: no limit. */
  rateLimit?: number;
  webhooks?: WebhookTiming;
  /** Serves the contracts' provider states at `/states` (Pact's callback), for the first organisation. */
  states?: boolean;
  /** Milliseconds since 1970; determines which shifts have started. */
  now?: () => number;
}

/** A running provider. The members of `ProviderActions` are those of its first organisation. */
export interface Sandbox extends ProviderActions {
  /** Without a trailing slash and without the `/providers/{providerId}` prefix. */
  url: string;
  port: number;
  /** Adds a tenant with its own seed data and token. */
  addOrganisation(options?: OrganisationOptions): ProviderActions;
  /** @param settings `times`: number of affected calls; `operations`: only these; `retryAfter`: the header's value. */
  setFault(name: FaultName, settings?: FaultSettings): void;
  clearFaults(): void;
  /** Every webhook of every organisation, in the order of the changes. */
  readonly deliveries: readonly SentWebhook[];
  /** Returns the outcome of the webhook with this traceId. @throws Error for an unknown traceId. */
  delivered(traceId: string): Promise<Delivery>;
  /** Resolves when no webhook is in progress. */
  settled(): Promise<void>;
  /** Stops at once and cancels calls and webhooks in progress. A second call has no effect. */
  close(): Promise<void>;
}

/** High enough for a load test on one machine; real providers have lower limits. */
const RATE_LIMIT = 60_000;

/**
 * Starts a reference provider on 127.0.0.1. It is correct in every dialect, except for configured faults.
 * @throws TypeError when the forms exclude one another; Error when the port is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const organisations: Organisations = new Map();
  const faults = createFaultSwitchboard();
  for (const name of options.faults ?? []) faults.set(name);
  const webhooks = createWebhooks(options.webhooks ?? {}, faults.webhooks);
  const context = createContext(options, webhooks);
  const addOrganisation = organisationAdder(organisations, context, webhooks);
  const actions = addOrganisation(options);
  const { log = pino({ level: "silent" }), rateLimit = RATE_LIMIT } = options;
  const states = options.states ? providerStates(actions) : undefined;
  const server = createServer(createApp({ context, organisations, faults, log, rateLimit, states }));
  const port = await listen(server, options.port ?? 0);
  let closed: Promise<void> | undefined;
  return {
    ...actions,
    // A spread would copy the current values.
    get shifts() {
      return actions.shifts;
    },
    get candidates() {
      return actions.candidates;
    },
    url: `http://127.0.0.1:${port}`,
    port,
    addOrganisation,
    setFault: faults.set,
    clearFaults: faults.clear,
    deliveries: webhooks.sent,
    delivered: webhooks.delivered,
    settled: webhooks.settled,
    close: () => {
      closed ??= stop(server, webhooks);
      return closed;
    },
  };
}

function createContext({ dialect = {}, now = Date.now }: SandboxOptions, webhooks: Webhooks): Context {
  const forms = formsOf(dialect);
  return {
    forms,
    now,
    newId: randomUUID,
    echo: (event, shiftId, { providerId }, request) => {
      const traceId =
        forms.echoTraceId === "same" ? (request.get("x-trace-id") ?? randomUUID()) : randomUUID();
      const message = { event, providerId, content: { shiftId }, traceId };
      webhooks.send(message, { isEcho: true, after: answered(request) });
    },
  };
}

/** Waits until the platform has the response: the webhook must follow it. */
async function answered({ res }: Request): Promise<void> {
  if (res && !res.closed) await once(res, "close");
}

function organisationAdder(organisations: Organisations, context: Context, webhooks: Webhooks) {
  return (options: OrganisationOptions = {}): ProviderActions => {
    const { providerId, token = newToken(), platform, snapshot } = options;
    const organisation = snapshot
      ? organisationFrom(snapshot)
      : seededOrganisation({ providerId: providerId ?? randomUUID(), token });
    if (organisations.has(organisation.providerId))
      throw new Error(`the sandbox already has ${organisation.providerId}`);
    organisations.set(organisation.providerId, organisation);
    const actions = createActions(organisation, context, webhooks);
    if (platform) actions.connectPlatform(platform);
    return actions;
  };
}

/** Returns 32 random bytes; the prefix distinguishes it from a platform token. */
const newToken = (): string => `provider_${randomBytes(32).toString("base64url")}`;

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the sandbox has no port");
  return address.port;
}

async function stop(server: Server, webhooks: Webhooks): Promise<void> {
  webhooks.close();
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
  await webhooks.settled();
}
