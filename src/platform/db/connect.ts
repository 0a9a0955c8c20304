import pg from "pg";
import { lineOfError } from "./database-errors.ts";
import { type Servers, serversOf } from "./database-url.ts";
import { INT8 } from "./engine.ts";

/** For each of several servers: together less than a caller waits for a connection. Milliseconds. */
const SERVER_MS = 2_000;
/** Of a connection beside the pools. A server that is stopped would let it wait for ever. Milliseconds. */
const CONNECT_MS = 5_000;

// Counts stay far below 2^53; PGlite returns them as numbers too.
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");

const configOf = (connectionString: string): pg.ClientConfig => ({
  connectionString,
  types: { getTypeParser: parserOf },
  keepAlive: true,
  application_name: "shiftpact",
});

export interface Connector {
  /** For a pool: makes clients by `config`. */
  Client: typeof pg.Client;
  config: pg.ClientConfig;
  /** Not connected yet. */
  newClient(): pg.Client;
}

/**
 * How to connect to the servers of a URL: to the first suitable one, for each connection.
 * @param setting where the URL comes from, for errors
 */
export function connectorOf(url: string, setting?: string): Connector {
  const servers = serversOf(url);
  const [first = url] = servers.urls;
  const config = configOf(first);
  const isPlain = servers.urls.length === 1 && !servers.mustWrite;
  const Client = isPlain ? pg.Client : choosing(servers, setting);
  return { Client, config, newClient: () => new Client({ ...config, connectionTimeoutMillis: CONNECT_MS }) };
}

/** A client that chooses its server when it connects. */
function choosing(servers: Servers, setting?: string): typeof pg.Client {
  return class ChoosingClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = choose(servers, setting).then(async ({ host, port }) => {
        Object.assign(this, { host, port });
        await super.connect();
        return this;
      });
      if (!callback) return connected;
      connected.then(() => (callback as () => void)(), callback);
      return undefined;
    }
  };
}

/** Returns the first server that responds and, if it must, accepts writes. @throws Error that names the fault of each. */
async function choose(
  { urls, mustWrite }: Servers,
  setting?: string,
): Promise<{ host: string; port: number }> {
  const faults: string[] = [];
  for (const url of urls) {
    const client = new pg.Client({
      ...configOf(url),
      connectionTimeoutMillis: SERVER_MS,
      query_timeout: SERVER_MS,
    });
    client.on("error", () => undefined);
    const { host, port } = client;
    try {
      await client.connect();
      const { rows } = await client.query("show transaction_read_only");
      if (!mustWrite || rows[0]?.transaction_read_only === "off") return { host, port };
      faults.push(`${host}:${port} is read-only`);
    } catch (error) {
      faults.push(`${host}:${port} ${lineOf(error, setting)}`);
    } finally {
      client.end().catch(() => undefined);
    }
  }
  const code = "EHOSTUNREACH";
  throw Object.assign(new Error(`no server of the URL can be used: ${faults.join("; ")}`), { code });
}

function lineOf(error: unknown, setting?: string): string {
  const line = lineOfError(error, { setting, isConnecting: true });
  return line ?? (error instanceof Error ? error.message : String(error));
}
