import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import type { Found } from "../../src/verify/finding.ts";
import { createTarget } from "../../src/verify/http-target.ts";
import { judge } from "../../src/verify/judge/judge.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a server that sends these bytes for every request, and then calls `then`. */
async function serverOf(bytes: string, then: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => (bytes === "" ? then(socket) : socket.write(bytes, () => then(socket))));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), "close");
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function foundAt(baseUrl: string, timeoutMs = 5_000) {
  const http = createProviderHttp({ allowInsecure: true, timeoutMs });
  const fresh = createProviderHttp({ allowInsecure: true, timeoutMs, idleMs: 0 });
  ends.push(
    () => http.close(),
    () => fresh.close(),
  );
  const target = createTarget({
    baseUrl,
    providerId: "p",
    token: "t",
    fetch: http.fetch,
    freshFetch: fresh.fetch,
    timeoutMs,
    wait: async () => undefined,
  });
  return judge(await target.send({ operation: "listRoles" })).filter(
    (each): each is Found => each.kind === "found",
  );
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const LIBRARY = /UND_ERR|ECONN|HPE_|EPIPE|fetch failed/;

describe("a broken connection is reported in plain words:", () => {
  it.each<[string, string, (socket: Socket) => void, string, RegExp]>([
    [
      "closed before the first byte",
      "",
      (socket) => socket.end(),
      "connection closed before the first byte",
      /provider's log for a crash/,
    ],
    [
      "reset before the first byte",
      "",
      (socket) => socket.resetAndDestroy(),
      "connection closed before the first byte",
      /provider's log for a crash/,
    ],
    [
      "fewer bytes than announced",
      `${HEAD}Content-Length: 182\r\n\r\n${"x".repeat(180)}`,
      (socket) => socket.end(),
      "announced 182 bytes, sent 180",
      /Content-Length in bytes/,
    ],
    [
      "closed in the middle of a body of unknown length",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n[{"id\r\n`,
      (socket) => socket.end(),
      "connection closed after 5 bytes of the body",
      /provider's log for a crash/,
    ],
    [
      "a 204 that announces a body",
      "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n",
      () => undefined,
      "status 204 that announces 2 bytes of a body",
      /no Content-Length with 204/,
    ],
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", () => undefined, "the response is not HTTP", /HTTP\/1\.1/],
  ])("%s", async (_, bytes, then, actual, fix) => {
    const [finding, ...others] = await foundAt(await serverOf(bytes, then));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: "connection_broken", actual });
    expect(finding?.fix).toMatch(fix);
    expect(JSON.stringify([finding?.actual, finding?.fix])).not.toMatch(LIBRARY);
  });

  it("a closed port", async () => {
    const url = await serverOf("", () => undefined);
    await ends.pop()?.();
    const [finding] = await foundAt(url);
    expect(finding).toMatchObject({ actual: "connection refused" });
    expect(finding?.fix).toContain("Check that the provider is running");
  });

  it("fewer bytes than announced, on a connection that stays open", async () => {
    const url = await serverOf(`${HEAD}Content-Length: 182\r\n\r\n${"x".repeat(180)}`, () => undefined);
    const [finding] = await foundAt(url, 200);
    expect(finding).toMatchObject({ code: "no_answer", actual: "announced 182 bytes, sent 180" });
    expect(finding?.fix).toContain("Content-Length in bytes");
  });

  it("no response in time", async () => {
    const [finding] = await foundAt(await serverOf("", () => undefined), 200);
    expect(finding).toMatchObject({ code: "no_answer", actual: "no complete response within 0.2 s" });
  });
});

it("a byte order mark before the JSON is reported, and the JSON is read", async () => {
  const found = await foundAt(await serverOf(`${HEAD}Content-Length: 5\r\n\r\n\uFEFF[]`, () => undefined));
  expect(found).toMatchObject([{ code: "byte_order_mark" }]);
});

describe("a connection that closes before the first byte", () => {
  const LIST = `${HEAD}Content-Length: 2\r\n\r\n[]`;

  /** Starts a server that closes every nth connection at its first request. */
  function closingEvery(nth: number, isFirst = false) {
    let connections = 0;
    return serverOf("", (socket) => {
      connections += 1;
      if (isFirst ? connections === 1 : connections % nth === 0) socket.end();
      else socket.write(LIST);
    });
  }

  it("is not reported if it may have been idle: new ones serve the request", async () => {
    expect(await foundAt(await closingEvery(1, true))).toEqual([]);
  });

  it("is reported if a new one closes as well", async () => {
    expect(await foundAt(await closingEvery(1))).toMatchObject([{ code: "connection_broken" }]);
  });

  it("is reported if one of several new ones closes", async () => {
    const url = await closingEvery(4);
    const found = [await foundAt(url), await foundAt(url), await foundAt(url), await foundAt(url)];
    expect(found.flat()).toMatchObject([{ code: "connection_broken" }]);
  });
});

it("an idle connection is closed, however long the server keeps it: it could break the next request", async () => {
  const closed = Promise.withResolvers<void>();
  const kept = `${HEAD}Keep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\n[]`;
  const url = await serverOf(kept, (socket) => socket.once("close", () => closed.resolve()));
  const http = createProviderHttp({ allowInsecure: true, idleMs: 1 });
  ends.push(() => http.close());
  await (await http.fetch(new Request(url))).text();
  await closed.promise;
});
