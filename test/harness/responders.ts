import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Integration } from "../../generated/operations/types.ts";
import type { RegistryEntry } from "../../generated/provider/types.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };
import { listening, untilReset } from "./http.ts";
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

/** What is asked of the registry; `limit` and `cursor` as they stand in the query. */
export interface Asked {
  limit: string | null;
  cursor: string | null;
}

/** A status instead of a body, or what is answered with 200; or a promise of it. */
export type Reply = number | unknown;

/** A provider of nothing but a registry. */
export async function startRegistry(reply: (asked: Asked) => Reply) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://provider.example");
    const query = { limit: searchParams.get("limit"), cursor: searchParams.get("cursor") };
    asked.push(query);
    const answer = await reply(query);
    response.statusCode = typeof answer === "number" ? answer : 200;
    response.setHeader("Content-Type", "application/json");
    response.end(typeof answer === "number" ? undefined : JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The nth published test number. */
export function numberAt(nth: number): string {
  const number = [...published.personnummer, ...published.coordinationNumbers][nth];
  if (number === undefined) throw new Error("there are not so many published numbers");
  return number;
}

/** Everything that an entry can hold (contract 2.5). */
export function entryOf(nth: number, rest: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    id: `candidate-${nth}`,
    employeeNumber: `${1_000 + nth}`,
    firstName: "Robin",
    lastName: `Ek ${nth}`,
    personalNumber: numberAt(nth),
    address: "Storgatan 1",
    postCode: "11122",
    city: "Stockholm",
    countryCode: "se",
    phone: "+46701740605",
    email: `robin.${nth}@example.com`,
    emergencyContact: { name: "Kim Ek", phone: "+46701740606", relationship: "parent" },
    bankDetails: { clearingNumber: "8327", accountNumber: "9040123456" },
    workHistory: [],
    ...rest,
  };
}
