import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "../../generated/provider/client.ts";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { type Child, startChild } from "./child.ts";
import { timeFunctions } from "./functions.ts";
import { DOCUMENT, documentFolder } from "./generation.ts";
import { type Loaded, saturate, type Target } from "./load.ts";
import { alternate } from "./rounds.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median, ratioOf } from "./statistics.ts";
import { type Row, shown, shownRatio, type Table } from "./table.ts";

export const runtime: Section = {
  name: "runtime",
  title: "The generated code at run time",
  packages: ["express", "express-openapi-validator", "openapi-fetch", "ajv", "tinybench", "autocannon"],
  run: async (setting) => {
    const servers = await startServers(setting);
    const stub = await stubs(setting, servers);
    const calls = await clients(setting, servers.express);
    await Promise.all(Object.values(servers).map((server) => server.end()));
    return {
      tables: [stub.table, calls.table],
      figures: { ...stub.figures, ...calls.figures },
    } satisfies SectionResult;
  },
};

type Way = "express" | "stub" | "validator";
type Servers = Record<Way, Child>;

const WAYS: Readonly<Record<Way, string>> = {
  express: "Express 5, nothing validated",
  stub: "the generated stub, request and response validated",
  validator: "express-openapi-validator, the same validation",
};

const exampleFile = (name: string) =>
  fileURLToPath(new URL(`../../spec/examples/${name}.json`, import.meta.url));
const example = async (name: string) => JSON.parse(await readFile(exampleFile(name), "utf8"));

const TOKEN = "a-provider-token";
const SHIFT_ID = "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3";
const headers = { Authorization: `Bearer ${TOKEN}` };

async function startServers({ resources }: Setting): Promise<Servers> {
  const document = `${await documentFolder(resources, 1)}/${DOCUMENT}`;
  const start = (way: Way) =>
    startChild(resources, new URL("./servers/shifts.ts", import.meta.url), {
      ...{ WAY: way, TOKEN, DOCUMENT: document, SHIFT: exampleFile("shift-variant-a") },
    });
  return { express: await start("express"), stub: await start("stub"), validator: await start("validator") };
}

const READ: Target = { method: "GET", path: `/shifts/${SHIFT_ID}`, headers };

async function writeTarget(): Promise<Target> {
  const body = JSON.stringify(await example("candidate-create-minimal"));
  const withType = { ...headers, "Content-Type": "application/json" };
  return { method: "POST", path: "/candidates", headers: withType, body: () => body };
}

async function stubs(setting: Setting, servers: Servers) {
  const reads = await loadsOf(setting, servers, READ);
  const writes = await loadsOf(setting, servers, await writeTarget());
  const cpu = (loads: readonly Loaded[]) => loads.map((each) => each.cpu);
  const against = (loads: Record<Way, Loaded[]>, way: Way) => ratioOf(cpu(loads[way]), cpu(loads.express));
  const rowsOf = (what: string, loads: Record<Way, Loaded[]>): Row[] =>
    (Object.keys(WAYS) as Way[]).map((way) => ({
      id: `stub-${what.startsWith("GET") ? "read" : "write"}-${way}`,
      cells: [
        `${what}: ${WAYS[way]}`,
        ...[median(loads[way].map((each) => each.perSecond)), median(cpu(loads[way]))].map(shown),
        shownRatio(against(loads, way)),
      ],
    }));
  return {
    table: {
      title: "A provider's operation",
      about:
        "50 connections. The ratio compares the CPU time of the server process for one request, which does not depend on other processes of the machine.",
      head: ["operation and server", "requests a second", "CPU µs a request", "CPU against Express 5"],
      rows: [...rowsOf("GET /shifts/{shiftId}", reads), ...rowsOf("POST /candidates", writes)],
    } satisfies Table,
    figures: {
      "runtime.stub.read.cpu": against(reads, "stub").ratio,
      "runtime.stub.write.cpu": against(writes, "stub").ratio,
      "runtime.stub.read.ratio": 1 / against(reads, "stub").ratio,
      "runtime.stub.write.ratio": 1 / against(writes, "stub").ratio,
      "runtime.validator.read.ratio": ratioOf(cpu(reads.validator), cpu(reads.stub)).ratio,
      "runtime.validator.write.ratio": ratioOf(cpu(writes.validator), cpu(writes.stub)).ratio,
    },
  };
}

async function loadsOf(
  { quick, report }: Setting,
  servers: Servers,
  target: Target,
): Promise<Record<Way, Loaded[]>> {
  const [rounds, seconds, warmUp] = quick ? [1, 0.7, 0.3] : [7, 3, 1];
  const turn = (way: Way, time: number) => () =>
    saturate(servers[way], target, { connections: 50, seconds: time });
  // The code is compiled in the first second.
  for (const way of Object.keys(WAYS) as Way[]) await turn(way, warmUp)();
  const turns = {
    express: turn("express", seconds),
    stub: turn("stub", seconds),
    validator: turn("validator", seconds),
  };
  return alternate(turns, rounds, (way, round) =>
    report(`${target.method} ${target.path.split("/")[1]}: ${WAYS[way]}, round ${round} of ${rounds}`),
  );
}

/** Measures one call after the other, each over HTTP to the same server. */
async function clients({ quick, report }: Setting, { url }: Child) {
  report("clients");
  const http = createProviderHttp({ allowInsecure: true });
  const generated = createClient({ baseUrl: url, headers });
  const options = { providerId: SHIFT_ID, token: TOKEN, routing: "header" as const, fetch: http.fetch };
  const whole = createProviderClient({ ...options, baseUrl: url });
  const times = await timeFunctions(
    {
      fetch: async () => (await fetch(`${url}${READ.path}`, { headers })).json(),
      generated: () => generated.getShift({ params: { path: { shiftId: SHIFT_ID } } }),
      whole: () => whole.getShift(SHIFT_ID, { traceId: SHIFT_ID }),
    },
    quick ? { rounds: 3, ms: 150 } : { rounds: 9, ms: 1_500 },
  );
  await http.close();
  const names = {
    fetch: "fetch and response.json()",
    generated: "the generated client",
    whole: "the provider client: validation, time and size limits, address guard, both variants read",
  };
  const rows = (Object.keys(names) as (keyof typeof names)[]).map((name) => ({
    id: `client-${name}`,
    cells: [names[name], shown(median(times[name])), shownRatio(ratioOf(times[name], times.fetch))],
  }));
  const about =
    "`GET /shifts/{shiftId}`, one call after the other, from the call to the value, over HTTP to one Express 5 server.";
  return {
    table: {
      title: "A call to a provider",
      about,
      head: ["client", "median µs", "time against fetch"],
      rows,
    },
    figures: {
      "runtime.client.ratio": ratioOf(times.fetch, times.generated).ratio,
      "runtime.provider-client.ratio": ratioOf(times.fetch, times.whole).ratio,
    },
  };
}
