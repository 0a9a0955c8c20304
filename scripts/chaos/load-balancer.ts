import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithThisProcess, freePort } from "../../test/harness/embedded-postgres.ts";

/** haproxy before the servers of a database. It polls which one is the primary, and cuts connections to the others. */
export interface LoadBalancer {
  port: number;
  close(): Promise<void>;
}

const STARTED_WITHIN_MS = 5_000;

/**
 * @param folder for the configuration.
 * @param ports of the servers.
 * @param isPrimary may reject, or never resolve: then the server counts as a standby.
 */
export async function startLoadBalancer(
  folder: string,
  ports: readonly number[],
  isPrimary: (port: number) => Promise<boolean>,
): Promise<LoadBalancer> {
  const roles = await Promise.all(ports.map((port) => showRole(() => isPrimary(port))));
  const [port, file] = [await freePort(), join(folder, "haproxy.cfg")];
  const servers = ports.map((each, index) => ({ port: each, rolePort: roles[index]?.port ?? 0 }));
  await writeFile(file, configOf(port, servers));
  const haproxy = spawn("haproxy", ["-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  if (haproxy.pid !== undefined) endWithThisProcess(haproxy, haproxy.pid);
  const ended = once(haproxy, "close");
  let log = "";
  haproxy.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-2_000);
  });
  const failed = once(haproxy, "error").then(() => {
    throw new Error("haproxy is missing: install the package haproxy (apt-get install haproxy)");
  });
  const early = ended.then(() => {
    throw new Error(`haproxy ended: ${log}`);
  });
  await Promise.race([untilListening(port), failed, early]);
  for (const over of [failed, early]) over.catch(() => undefined);
  return {
    port,
    close: async () => {
      haproxy.kill("SIGKILL");
      await ended;
      for (const role of roles) role.close();
    },
  };
}

/** Responds with 200 for the primary, as Patroni does. */
async function showRole(isPrimary: () => Promise<boolean>): Promise<{ port: number; close: () => void }> {
  const server = createServer((_request, response) => {
    const answer = (is: boolean) => response.writeHead(is ? 200 : 503).end();
    isPrimary().then(answer, () => answer(false));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** LISTEN is silent for long periods: a connection may be idle for an hour. */
const configOf = (port: number, servers: readonly Record<"port" | "rolePort", number>[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen database
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  timeout check 2s
  default-server inter 200ms fall 3 rise 1 on-marked-down shutdown-sessions
${servers.map((each) => `  server at-${each.port} 127.0.0.1:${each.port} check port ${each.rolePort}`).join("\n")}
`;

async function untilListening(port: number): Promise<void> {
  const until = performance.now() + STARTED_WITHIN_MS;
  while (performance.now() < until) {
    if (await isOpen(port)) return;
    await sleep(20);
  }
  throw new Error(`haproxy does not listen on port ${port}`);
}

function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const opened = once(socket, "connect").then(
    () => true,
    () => false,
  );
  return opened.finally(() => socket.destroy());
}
