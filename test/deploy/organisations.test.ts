import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { shipped, startRouter } from "./proxies.ts";

const GUIDE = new URL("../../spec/guides/organisations.md", import.meta.url);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

/** A platform of the database `name`, which answers with that name. */
async function platform(name: string): Promise<number> {
  const server: Server = createServer((incoming, response) => {
    incoming.resume().on("end", () => response.end(name));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function post(
  url: string,
  body: string,
): Promise<{ status: number; text: string; retryAfter: unknown }> {
  const sent = request(`${url}/webhooks/scheduling-provider`, {
    method: "POST",
    rejectUnauthorized: false,
    agent: false,
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  for await (const piece of response) text += piece;
  return { status: response.statusCode, text, retryAfter: response.headers["retry-after"] };
}

describe("the router of the guide", () => {
  it("sends a webhook to the database of its organisation, and keeps those of one that moves waiting", async () => {
    const [block = ""] = (await readFile(GUIDE, "utf8")).match(/(?<=```haproxy\n).*?(?=```)/s) ?? [];
    const [general] = (await readFile(shipped("haproxy.cfg"), "utf8")).split("\n# The internet:");
    const [at, gone] = [randomUUID(), randomUUID()];
    const [one, two] = [await platform("one"), await platform("two")];
    const router = await startRouter(`${general}\n${block}`, `${at} two\n${gone} moving\n`, {
      "192.0.2.11:3101": `127.0.0.1:${one}`,
      "192.0.2.12:3101": `127.0.0.1:${one}`,
      "192.0.2.21:3101": `127.0.0.1:${two}`,
      "192.0.2.22:3101": `127.0.0.1:${two}`,
    });
    undo.push(router.stop);
    const send = (providerId: string, content: object = {}) =>
      post(router.url, JSON.stringify({ event: "shift.create", content, providerId }));
    expect(await send(at)).toMatchObject({ status: 200, text: "two" });
    expect(await send(at.toUpperCase(), { text: "x".repeat(60_000) })).toMatchObject({ text: "two" });
    expect(await send(randomUUID())).toMatchObject({ status: 200, text: "one" });
    expect(await send(gone)).toMatchObject({ status: 503, retryAfter: "60" });
    expect(await post(router.url, "no JSON")).toMatchObject({ text: "one" });
  });
});
