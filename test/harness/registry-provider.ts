import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RegistryEntry } from "../../generated/provider/types.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

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
