import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `drip`: a response that never ends, one byte at a time. */
export type Illness = "hang" | "refuse" | "drip" | "fail";

/** What stands before a server, and is ill for as long as the test wants. */
export interface Receiver {
  url: string;
  /** Connections that are open, and that ended, since the last change. */
  readonly open: number;
  readonly ended: number;
  /** Ends every connection. */
  become(state: Illness | "well"): void;
  close(): Promise<void>;
}

/** What an ill server sends: the begin of an endless response, and a whole one that fails. */
const SAYS = {
  http: {
    drip: "HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n",
    fail: "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  },
  smtp: { drip: "220-", fail: "554 broken\r\n" },
};

const DRIP_MS = 20;

/** Writes the text, then one byte at a time until the connection ends. */
export function drip(socket: Socket, text: string): void {
  socket.write(text);
  const dripping = setInterval(() => socket.write("x"), DRIP_MS);
  socket.once("close", () => clearInterval(dripping));
}

export async function startReceiver(target: string, protocol: keyof typeof SAYS): Promise<Receiver> {
  const { hostname, port, protocol: scheme, username, password } = new URL(target);
  const sockets = new Set<Socket>();
  let state: Illness | "well" = "well";
  let ended = 0;
  const answer = (socket: Socket) => {
    if (state === "refuse") return void socket.destroy();
    if (state === "drip" || state === "fail") {
      const said = SAYS[protocol][state];
      const say = state === "fail" ? () => socket.end(said) : () => drip(socket, said);
      if (protocol === "http") return void socket.once("data", say);
      return say();
    }
    if (state === "hang") return;
    const through = connect(Number(port), hostname);
    through.on("error", () => socket.destroy());
    socket.on("close", () => through.destroy());
    through.on("close", () => socket.destroy());
    socket.pipe(through).pipe(socket);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (sockets.delete(socket)) ended += 1;
    });
    answer(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const login = username && `${username}:${password}@`;
  const cut = () => {
    const all = [...sockets];
    sockets.clear();
    for (const socket of all) socket.destroy();
  };
  return {
    url: `${scheme}//${login}127.0.0.1:${(server.address() as AddressInfo).port}`,
    get open() {
      return sockets.size;
    },
    get ended() {
      return ended;
    },
    become: (next) => {
      state = next;
      cut();
      ended = 0;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}
