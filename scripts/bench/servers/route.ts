import type { AddressInfo } from "node:net";
import express from "express";
import { MemoryStore } from "express-rate-limit";
import { pino } from "pino";
import { createRouter } from "../../../generated/platform/server.ts";
import { webhookAuthentication } from "../../../src/platform/http/authenticate.ts";
import { healthHandlers } from "../../../src/platform/http/health.ts";
import { webhookHandlers } from "../../../src/platform/http/webhook.ts";
import { NO_TRACING } from "../../../src/platform/tracing.ts";
import { answerParent } from "./parent.ts";

// Our own route of a webhook, with its token, its validation and its answer, in front of an inbox that stores nothing.

const { TOKEN, PROVIDER_ID: providerId = "" } = process.env;
const log = pino({ level: "silent" });

const owners = {
  find: async (token: string) => (token === TOKEN ? { providerId, kind: "bench" } : undefined),
  forget: () => undefined,
};

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use(
  createRouter({
    // Of everything that a handler is given only the log is used for webhooks.
    handlers: {
      ...webhookHandlers(
        { log, tracing: NO_TRACING } as never,
        { receive: async () => "stored" },
        { webhookStored: () => undefined },
      ),
      ...healthHandlers({ log } as never, () => false),
    },
    authenticate: webhookAuthentication(owners, 0, log, new MemoryStore()),
  }),
);

const server = app.listen(0, "127.0.0.1", () => answerParent((server.address() as AddressInfo).port));
