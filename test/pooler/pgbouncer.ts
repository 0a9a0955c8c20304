import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endWithThisProcess, freePort } from "../harness/embedded-postgres.ts";

export interface Pgbouncer {
  /** The same database, through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** Debian's pgbouncer before the server of `url`, with so few sessions that its clients have to share them. */
export async function startPgbouncer(url: string, mode: "session" | "transaction"): Promise<Pgbouncer> {
  const { hostname, port, username, password } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-pgbouncer-"));
  const own = await freePort();
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    `pool_mode = ${mode}`,
    "auth_type = plain",
    `auth_file = ${folder}/users`,
    "max_client_conn = 300",
    `default_pool_size = ${mode === "transaction" ? 4 : 60}`,
  ];
  await writeFile(join(folder, "users"), `"${username}" "${password}"\n`);
  await writeFile(join(folder, "pgbouncer.ini"), `${settings.join("\n")}\n`);
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("/usr/sbin/pgbouncer", [...account, join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.pid !== undefined) endWithThisProcess(child, child.pid);
  let log = "";
  await new Promise<void>((started, failed) => {
    child.once("error", (error) =>
      failed(new Error("pgbouncer is missing: apt-get install pgbouncer", { cause: error })),
    );
    child.once("exit", () => failed(new Error(`pgbouncer ended: ${log}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (/process up/.test(log)) started();
    });
  });
  return {
    url: Object.assign(new URL(url), { port: String(own) }).href,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
