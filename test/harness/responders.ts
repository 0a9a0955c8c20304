import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { Integration } from "../../generated/operations/types.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { listening, untilReset } from "./listening.ts";
import { type Operations, ok } from "./operations.ts";

/** A provider that only answers with a status, and where. */
export interface Responder {
  url: string;
  providerId: string;
  token: string;
  /** Method and path of each call, in their order. */
  calls: string[];
  close(): Promise<void>;
}

/** @param respond returns the status of each call, by its path. */
export async function startResponder(
  respond: (path: string) => number | Promise<number>,
  headers: Record<string, string> = {},
): Promise<Responder> {
  const calls: string[] = [];
  const answer = async ({ method, url = "" }: IncomingMessage) => {
    calls.push(`${method} ${url}`);
    return respond(url);
  };
  const server = createServer(
    untilReset(async (request, response) => {
      response.writeHead(await answer(request), headers).end();
    }),
  );
  return { ...(await listening(server)), providerId: randomUUID(), token: "provider-token", calls };
}

/** Passes calls without the prefix on with it, so that both ways return the same. */
export function startRewriting(target: string, providerId: string) {
  const server = createServer(
    untilReset(async ({ url = "", headers: { authorization = "" } }, response) => {
      const path = url.startsWith("/providers/") ? url : `/providers/${providerId}${url}`;
      const answer = await fetch(`${target}${path}`, { headers: { authorization } });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    }),
  );
  return listening(server);
}

/** An address at which nothing listens. */
export async function startNothing(): Promise<Responder> {
  const responder = await startResponder(() => 500);
  await responder.close();
  return { ...responder, close: async () => undefined };
}

export const orderOf = ({ providerId, url: baseUrl, token: providerToken }: Sandbox | Responder) => ({
  providerId,
  kind: "tempo",
  name: "Kajen",
  baseUrl,
  providerToken,
});

export const paramsOf = ({ providerId }: Pick<Responder, "providerId">) => ({
  params: { path: { providerId } },
});

export async function read(operations: Operations, of: Pick<Responder, "providerId">): Promise<Integration> {
  return ok(await operations.getIntegration(paramsOf(of)));
}

/** Every outlet and role is one workplace and one competence, so that nothing but the routing may be missing. */
export async function mapAll(operations: Operations, of: Sandbox): Promise<void> {
  const { outlets, roles } = ok(await operations.discoverIntegration(paramsOf(of)));
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: randomUUID() } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
  const body = {
    outlets: outlets.map(({ outletId }) => ({ outletId, workplaceId })),
    roles: roles.map(({ roleId }) => ({ roleId, competenceId })),
  };
  ok(await operations.updateMappings({ ...paramsOf(of), body }));
}
