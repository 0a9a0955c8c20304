import { randomUUID } from "node:crypto";
import { type Message, messages } from "../../generated/events/types.ts";
import { schemas } from "../../generated/platform/validators.js";
import {
  createWebhookClient,
  WEBHOOK_SCHEDULE,
  type WebhookClientOptions,
} from "../clients/webhook-client.ts";
import { withoutTrailingSlashes } from "../contract/base-url.ts";
import { redact } from "../verify/exchange.ts";
import type { Io } from "./io.ts";
import { inputErrorsOf, reportUnusable } from "./run-command.ts";
import { readFlags, tokenFlag, UsageError, uuidFlag } from "./usage.ts";

type EventName = Message["event"];

const eventNames = Object.keys(messages) as EventName[];

const HELP = `shiftpact trigger EVENT: sends one webhook, as a provider does.

  EVENT               ${eventNames.join(", ")}
  --url URL           the platform's base URL, or the whole URL of a webhook:
                      URL/webhooks/scheduling-provider or URL/api/v3/integrations/KIND/webhook;
                      the first of them below a base URL
  --token T           PLATFORM_TOKEN; the environment's PLATFORM_TOKEN unless given; never printed
  --provider-id UUID  the organisation
  --shift-id ID       the shift in the provider's system
  --trace-id UUID     generated and printed unless given
  --retry             try again after 5 s, 5 min, 30 min, 2 h and later, until it is acknowledged

Exit code 0: acknowledged; 1: not; 2: bad flags.

Examples:
  shiftpact trigger shift.create --url http://127.0.0.1:3000 --token T \\
    --provider-id 5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11 --shift-id 0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3`;

/** Clock and timers; tests shorten them. */
export type Timing = Pick<WebhookClientOptions, "wait" | "timeoutMs">;

/** @returns the exit code: 0 acknowledged, 1 not, 2 for flags that cannot be used. */
export async function trigger(argv: string[], io: Io, timing: Timing = {}): Promise<number> {
  try {
    const { values, positionals } = flagsOf(argv);
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    return await send(messageOf(values, positionals), values, io, timing);
  } catch (error) {
    return reportUnusable("trigger", error, io);
  }
}

type Flags = ReturnType<typeof flagsOf>["values"];

function flagsOf(args: string[]) {
  return readFlags({
    args,
    allowPositionals: true,
    options: {
      url: { type: "string" },
      token: { type: "string" },
      "provider-id": { type: "string" },
      "shift-id": { type: "string" },
      "trace-id": { type: "string" },
      retry: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

function messageOf(flags: Flags, positionals: readonly string[]): Message {
  const [name, ...rest] = positionals;
  const event = eventNames.find((each) => each === name);
  if (event === undefined || rest.length > 0) {
    throw new UsageError(`EVENT must be one of ${eventNames.join(", ")} (see --help)`);
  }
  return {
    event,
    providerId: uuidFlag("provider-id", flags["provider-id"]),
    content: { shiftId: shiftIdOf(flags["shift-id"]) },
    traceId: flags["trace-id"] === undefined ? randomUUID() : uuidFlag("trace-id", flags["trace-id"]),
  };
}

/** The id as the provider spells it: variant B allows any text (contract 2.2). */
function shiftIdOf(text: string | undefined): string {
  if (text !== undefined && schemas.ShiftEventContent({ shiftId: text })) return text;
  throw new UsageError(
    "--shift-id must be the shift's id in your system, of 1 to 200 characters (see --help)",
  );
}

async function send(event: Message, flags: Flags, io: Io, timing: Timing): Promise<number> {
  const address = addressOf(flags.url);
  const token = tokenFlag("token", flags.token, "PLATFORM_TOKEN", io.env);
  const client = createWebhookClient({
    ...address,
    ...timing,
    token,
    schedule: flags.retry ? WEBHOOK_SCHEDULE : [0],
    fetch: logged((line) => io.stdout(redact(line, { PLATFORM_TOKEN: token }))),
    wait: announcing(io, timing.wait ?? waitFor),
  });
  io.stdout(`${event.event}  shift ${event.content.shiftId}  trace ${event.traceId}`);
  const delivery = await client.send(event);
  const tries = `${delivery.tries} ${delivery.tries === 1 ? "try" : "tries"}`;
  io.stdout(
    delivery.delivered
      ? `acknowledged after ${tries}`
      : `not acknowledged after ${tries}: ${delivery.reason}`,
  );
  return delivery.delivered ? 0 : 1;
}

/** Returns a URL: a base URL, or a webhook's own. */
function addressOf(text: string | undefined): Pick<WebhookClientOptions, "platformUrl" | "kind"> {
  const url = URL.parse(text ?? "");
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new UsageError("--url must be an http or https URL, without user, query and fragment (see --help)");
  }
  const path = withoutTrailingSlashes(url.pathname);
  const kind = /\/api\/v3\/integrations\/([\w-]{1,99})\/webhook$/.exec(path);
  if (kind?.[1] !== undefined) {
    return { platformUrl: `${url.origin}${path.slice(0, kind.index)}`, kind: kind[1] };
  }
  return { platformUrl: `${url.origin}${path.replace(/\/webhooks\/scheduling-provider$/, "")}` };
}

/** Returns a fetch that prints each response and how long it took. */
function logged(print: Io["stdout"]): (request: Request) => Promise<Response> {
  return async (request) => {
    const began = performance.now();
    const took = () => `${Math.round(performance.now() - began)} ms`;
    try {
      const response = await fetch(request);
      print(`  POST ${request.url}: ${response.status} in ${took()}${await problemIn(response.clone())}`);
      return response;
    } catch (error) {
      print(`  POST ${request.url}: no response in ${took()} (${reasonOf(error)})`);
      throw error;
    }
  };
}

async function problemIn(response: Response): Promise<string> {
  if (response.ok) return "";
  const body: unknown = await response.json().catch(() => undefined);
  if (!schemas.Problem(body)) return "";
  const words = [body.code, body.detail, ...inputErrorsOf(body)].filter((word) => word !== undefined);
  return ` (${words.join("; ").replaceAll(/\p{Cc}/gu, " ")})`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code ?? error.message;
}

type Wait = NonNullable<WebhookClientOptions["wait"]>;

function announcing(io: Io, wait: Wait): Wait {
  return async (ms, signal) => {
    if (ms > 0) io.stdout(`  next try in ${ms / 1_000} s`);
    await wait(ms, signal);
  };
}

/** Keeps the process alive during a wait: a command has nothing else that does. */
async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
