import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { endWithThisProcess, freePort } from "../harness/embedded-postgres.ts";

export const PROXIES = ["haproxy", "nginx"] as const;
export type ProxyName = (typeof PROXIES)[number];

/** A proxy with the configuration that is shipped, before two platform processes. */
export interface Proxy {
  /** What providers reach. */
  url: string;
  /** What operators reach. */
  operatorsUrl: string;
  stop(): Promise<void>;
}

/** The files of a proxy, with the addresses and the certificate of a test. */
export interface Configured {
  command: string;
  /** Checks the configuration. */
  check: string[];
  /** Runs in the foreground. */
  run: string[];
  env: NodeJS.ProcessEnv;
}

/** The ports of two platform processes. */
export interface Ports {
  /** PORT. */
  platforms: readonly [number, number];
  /** PUBLIC_PORT. */
  publics: readonly [number, number];
}

interface Place extends Ports {
  folder: string;
  port: number;
  operatorsPort: number;
}

const run = promisify(execFile);
export const shipped = (name: string) =>
  fileURLToPath(new URL(`../../scripts/deploy/${name}`, import.meta.url));

/** @throws Error that names a text which the shipped file no longer holds. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`the shipped configuration does not hold ${from}`);
    return all.replaceAll(from, to);
  }, text);
}

async function makeCertificate(folder: string): Promise<Record<"key" | "crt" | "pem", string>> {
  const [key, crt, pem] = ["key", "crt", "pem"].map((end) => join(folder, `platform.${end}`)) as [
    string,
    string,
    string,
  ];
  const subject = ["-subj", "/CN=127.0.0.1", "-days", "2"];
  await run("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    key,
    "-out",
    crt,
    ...subject,
  ]);
  await writeFile(pem, (await readFile(key, "utf8")) + (await readFile(crt, "utf8")));
  return { key, crt, pem };
}

const CONFIGURE: Readonly<Record<ProxyName, (place: Place) => Promise<Configured>>> = {
  haproxy: async ({ folder, platforms: [one, two], publics, port, operatorsPort }) => {
    const { pem } = await makeCertificate(folder);
    const file = join(folder, "haproxy.cfg");
    const text = await readFile(shipped("haproxy.cfg"), "utf8");
    await writeFile(
      file,
      replaced(text, { "bind :443": `bind 127.0.0.1:${port}`, "/etc/haproxy/platform.pem": pem }),
    );
    const env = {
      PLATFORM_ONE: `127.0.0.1:${one}`,
      PLATFORM_TWO: `127.0.0.1:${two}`,
      PUBLIC_ONE: `127.0.0.1:${publics[0]}`,
      PUBLIC_TWO: `127.0.0.1:${publics[1]}`,
      OPERATORS: `127.0.0.1:${operatorsPort}`,
    };
    return { command: "haproxy", check: ["-c", "-f", file], run: ["-db", "-f", file], env };
  },
  nginx: async ({ folder, platforms: [one, two], publics, port, operatorsPort }) => {
    const { key, crt } = await makeCertificate(folder);
    const [file, included] = [join(folder, "main.conf"), join(folder, "platform.conf")];
    const changes = {
      "127.0.0.1:3001": `127.0.0.1:${one}`,
      "127.0.0.1:3002": `127.0.0.1:${two}`,
      "127.0.0.1:3101": `127.0.0.1:${publics[0]}`,
      "127.0.0.1:3102": `127.0.0.1:${publics[1]}`,
      "listen 443": `listen 127.0.0.1:${port}`,
      "127.0.0.1:8443": `127.0.0.1:${operatorsPort}`,
      "/etc/nginx/platform.crt": crt,
      "/etc/nginx/platform.key": key,
    };
    await writeFile(included, replaced(await readFile(shipped("nginx.conf"), "utf8"), changes));
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (each) => `${each}_temp_path ${folder};`,
    );
    const main = `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${paths.join(" ")} include ${included}; }`;
    await writeFile(file, main);
    return { command: "nginx", check: ["-t", "-c", file], run: ["-c", file, "-g", "daemon off;"], env: {} };
  },
};

/** In a new folder below the temporary one. */
export async function configure(name: ProxyName, ports: Ports) {
  const folder = await mkdtemp(join(tmpdir(), `shiftpact-${name}-`));
  const place: Place = { folder, ...ports, port: await freePort(), operatorsPort: await freePort() };
  const configured = await CONFIGURE[name](place);
  return { ...place, configured, remove: () => rm(folder, { recursive: true }) };
}

/** Rejects with what the program said, or which package it is in. */
export async function startProxy(name: ProxyName, ports: Ports): Promise<Proxy> {
  return start(name, await configure(name, ports));
}

type Ready = Pick<Place, "port" | "operatorsPort"> & { configured: Configured; remove: () => Promise<void> };

async function start(name: ProxyName, { port, operatorsPort, configured, remove }: Ready): Promise<Proxy> {
  const { command, run: flags, env } = configured;
  const child = spawn(command, flags, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const gone = goneEarly(child, name, () => log);
  if (child.pid !== undefined) endWithThisProcess(child, child.pid);
  await Promise.race([untilOpen(port), gone]);
  gone.catch(() => undefined);
  return {
    url: `https://127.0.0.1:${port}`,
    operatorsUrl: `https://127.0.0.1:${operatorsPort}`,
    stop: async () => {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
      await remove();
    },
  };
}

async function goneEarly(child: ChildProcess, name: string, log: () => string): Promise<never> {
  await once(child, "close").catch(() => {
    throw new Error(`${name} is missing: apt-get install ${name === "nginx" ? "nginx-light" : name}`);
  });
  throw new Error(`${name} ended: ${log()}`);
}

async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
}
