import { once } from "node:events";
import { Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type HttpServer, serve } from "../../../src/platform/http/serve.ts";

const LIMITS = { connections: 100, headersMs: 60_000, requestMs: 60_000, checkMs: 20, responseMs: 60_000 };

let server: HttpServer;
const sockets: Socket[] = [];
let onResponse: (response: ServerResponse) => void = () => undefined;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  onResponse = () => undefined;
  await server.close(0);
});

/** `limits`: undefined for those of the platform. */
async function start(limits?: Partial<typeof LIMITS>, text: string | Buffer = "done"): Promise<void> {
  const read = async (request: AsyncIterable<unknown>) => {
    for await (const _ of request);
  };
  server = await serve(
    (request, response) => {
      onResponse(response);
      void read(request).then(
        () => response.end(text),
        () => undefined,
      );
    },
    { host: "127.0.0.1", port: 0 },
    limits && { ...LIMITS, ...limits },
  );
}

function open(text: string): Socket {
  const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

/** Returns everything that was received before the end of the connection. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await new Promise((resolve) => socket.on("close", resolve));
  return text;
}

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

describe("a connection", () => {
  it.each(["", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])("that sends only %j ends", async (text) => {
    await start({ headersMs: 40 });
    expect(await received(open(text))).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it("that never sends the rest of its body ends", async () => {
    await start({ headersMs: 40, requestMs: 40 });
    const half = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf";
    expect(await received(open(half))).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it.each([0, 1])(
    "that reads %i bytes of its response at a time ends before it has read it all",
    async (bytes) => {
      const ended = new Promise<boolean>((resolve) => {
        onResponse = (response) => response.once("close", () => resolve(response.writableFinished));
      });
      await start({ responseMs: 60 }, Buffer.alloc(64 * 2 ** 20));
      const socket = open(REQUEST);
      socket.on("readable", () => undefined);
      const reading = setInterval(() => bytes > 0 && socket.read(bytes), 5);
      onTestFinished(() => clearInterval(reading));
      expect(await ended).toBe(false);
    },
  );

  it("is one of 2,000, and has 10 s for the headers, 30 s for the request and 60 s to read the response", async () => {
    const [listen, timer] = [vi.spyOn(Server.prototype, "listen"), vi.spyOn(globalThis, "setTimeout")];
    onTestFinished(() => void vi.restoreAllMocks());
    await start();
    expect(listen.mock.contexts).toMatchObject([
      { maxConnections: 2_000, headersTimeout: 10_000, requestTimeout: 30_000 },
    ]);
    expect(await received(open(REQUEST))).toContain("done");
    expect(timer).toHaveBeenCalledWith(expect.any(Function), 60_000);
  });

  it("beyond the limit ends, and another one is served once one of them has ended", async () => {
    await start({ connections: 2 });
    const [first, second] = [open(""), open("")];
    await Promise.all([first, second].map((socket) => once(socket, "connect")));
    expect(await received(open(REQUEST))).toBe("");
    first.destroy();
    await expect.poll(() => received(open(REQUEST))).toContain("done");
  });
});
