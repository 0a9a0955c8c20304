/** The configuration that `tsc --init` writes for Node, with the checks of foreign declarations. */
export const TSCONFIG = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    types: ["node"],
    noEmit: true,
    skipLibCheck: false,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    resolveJsonModule: true,
  },
  files: ["consumer.ts"],
};

/** A provider and a platform in a few lines, written with the package alone: each calls the other. */
export const CONSUMER = `
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import express from "express";
import { createProviderClient, createWebhookClient, type Delivery, readShift } from "shiftpact";
import { createProviderHttp } from "shiftpact/node";
import { type Message, messages, schemas as events } from "shiftpact/events";
import { type Client as Operations, createClient as createOperations, type Integration } from "shiftpact/operations";
import { createRouter as createWebhookRouter, type Handlers as WebhookHandlers, ProblemError } from "shiftpact/platform/server";
import { createClient, type operations, schemas, type CompleteShift } from "shiftpact/provider";
import { createRouter, type Handlers, type OperationRequest } from "shiftpact/provider/server";
import { codes, type Finding, groups, verify, type VerifyOptions } from "shiftpact/verify";
import contract from "shiftpact/contracts/shiftpact-platform--scheduling-provider.http.json" with { type: "json" };
import example from "shiftpact/spec/examples/shift-variant-a.json" with { type: "json" };

interface Organisation { shifts: readonly CompleteShift[] }

const later = (): never => { throw new ProblemError(503, "unavailable"); };
const handlers: Handlers<Organisation> = {
  getShift: ({ path }: OperationRequest<operations["getShift"]>, { shifts }) => {
    const body = shifts.find(({ id }) => id === path.shiftId);
    if (!body) throw new ProblemError(404, "shift_not_found");
    return { status: 200, body };
  },
  updateShift: later, cancelShift: later, assignCandidate: later, deleteAssignment: later, unassignCandidate: later,
  findCandidates: later, createCandidate: later, getCandidateRegistry: later, listOutlets: later, listRoles: later,
};
// @ts-expect-error every operation needs a handler
export const forgotten: Handlers<Organisation> = { getShift: later };

const received: string[] = [];
const webhookHandlers: WebhookHandlers<undefined> = {
  receiveIntegrationWebhook: ({ path, body }) => {
    received.push(\`\${path.provider} \${body.event}\`);
    return { status: 200, body: { received: true } };
  },
  receiveSchedulingProviderWebhook: later,
  getLiveness: () => ({ status: 200, body: { status: "ok" } }),
  getReadiness: () => ({ status: 200, body: { status: "ok" } }),
};
// @ts-expect-error the document has no such response
webhookHandlers.getLiveness = () => ({ status: 200, body: { status: "fine" } });
webhookHandlers.getLiveness = () => ({ status: 200, body: { status: "ok" } });

if (!schemas.CompleteShift(example)) throw new Error(JSON.stringify(schemas.CompleteShift.errorsOf(example)));
const shift: CompleteShift = example;
const app = express()
  .use("/providers/:providerId", createRouter({ handlers, authenticate: () => ({ shifts: [shift] }) }))
  .use(createWebhookRouter({ handlers: webhookHandlers, authenticate: () => undefined }));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const baseUrl = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`;
const providerId = crypto.randomUUID();

const http = createProviderHttp({ allowInsecure: true });
const provider = createProviderClient({ baseUrl, providerId, token: "t", fetch: http.fetch });
const answer = await provider.getShift(shift.id, { traceId: crypto.randomUUID() });
const client = createClient({ baseUrl: \`\${baseUrl}/providers/x\` });
const read = async (shiftId: string) => {
  const { status, data, error } = await client.getShift({ params: { path: { shiftId } } });
  if (status !== 200) return { status, error: error.code };
  const positions = data.numberOfPositions ?? data.slots ?? 1;
  // @ts-expect-error it is a shift
  const nonsense: number = data;
  return { status, positions: positions + 0, isShift: typeof nonsense === "object" };
};

const event: Message = { event: "shift.create", providerId, content: { shiftId: shift.id }, traceId: crypto.randomUUID() };
const webhooks = createWebhookClient({ platformUrl: baseUrl, token: "t", kind: "tempo" });
const delivery: Delivery = await webhooks.send(event);

const operationsClient: Operations = createOperations({ baseUrl });
const named = (integration: Integration): string => integration.providerId;
const options: VerifyOptions = { baseUrl, providerId, token: "t" };
const verified = (options: VerifyOptions): Promise<{ findings: readonly Finding[] }> => verify(options);

const reads = [await read(shift.id), await read(crypto.randomUUID())];
await http.close();
server.close();
server.closeAllConnections();
const spec = readFileSync(fileURLToPath(import.meta.resolve("shiftpact/spec/provider.openapi.yaml")), "utf8");
const schema = import.meta.resolve("shiftpact/spec/schemas/events.yaml");
const document = readFileSync(fileURLToPath(import.meta.resolve("shiftpact/documents/provider.openapi-3.0.yaml")), "utf8");
console.log(JSON.stringify({
  document: document.includes("openapi: 3.0.3"),
  answer: answer.kind, reads, delivery, received, positions: readShift(shift, "Europe/Stockholm").shift?.positions,
  events: [events.ShiftCreateEvent(event), Object.keys(messages)],
  operations: typeof operationsClient.listJobs, verify: [typeof verified, typeof named, Object.keys(codes).length > 0, groups[0], options.token],
  spec: spec.split("\\n")[0], schema: readFileSync(fileURLToPath(schema), "utf8").length > 0, contract: contract.provider.name,
}));
`;

/** Imports the given modules one after the other, and prints the packages that each was the first to load. */
export const LOADS = `
import { registerHooks } from "node:module";
let packages = new Set();
const seen = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url) ?? [];
    if (name !== undefined && !seen.has(name)) packages.add(name);
    seen.add(name);
    return next(url, context);
  },
});
const loads = {};
for (const entry of process.argv.slice(2)) {
  packages = new Set();
  await import(entry);
  loads[entry] = [...packages].sort();
}
console.log(JSON.stringify(loads));
`;
