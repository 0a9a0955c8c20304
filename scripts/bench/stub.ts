import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "./child.ts";
import { type Loaded, saturate, type Target } from "./load.ts";
import { alternate, median, ratioOf } from "./statistics.ts";
import {
  type Row,
  type Section,
  type SectionResult,
  type Setting,
  shown,
  shownRatio,
  type Table,
} from "./table.ts";

export const stub: Section = {
  name: "stub",
  title: "The generated stub",
  packages: ["express", "express-openapi-validator", "ajv", "autocannon"],
  run: async (setting) => {
    const servers = await startServers(setting);
    const { table, figures } = await stubs(setting, servers);
    await Promise.all(Object.values(servers).map((server) => server.end()));
    return { tables: [table], figures } satisfies SectionResult;
  },
};

type Way = "express" | "stub" | "validator";
type Servers = Record<Way, Child>;

const WAYS: Readonly<Record<Way, string>> = {
  express: "Express 5, nothing validated",
  stub: "the generated stub, request and response validated",
  validator: "express-openapi-validator, the same validation",
};

const DOCUMENT = fileURLToPath(new URL("../../generated/spec/provider.openapi-3.1.yaml", import.meta.url));
const exampleFile = (name: string) =>
  fileURLToPath(new URL(`../../spec/examples/${name}.json`, import.meta.url));
const example = async (name: string) => JSON.parse(await readFile(exampleFile(name), "utf8"));

const TOKEN = "a-provider-token";
const SHIFT_ID = "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3";
const headers = { Authorization: `Bearer ${TOKEN}` };

async function startServers({ resources }: Setting): Promise<Servers> {
  const start = (way: Way) =>
    startChild(resources, new URL("./servers/shifts.ts", import.meta.url), {
      WAY: way,
      TOKEN,
      DOCUMENT,
      SHIFT: exampleFile("shift-variant-a"),
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
      "stub.read.cpu": against(reads, "stub").ratio,
      "stub.write.cpu": against(writes, "stub").ratio,
      "stub.read.ratio": 1 / against(reads, "stub").ratio,
      "stub.write.ratio": 1 / against(writes, "stub").ratio,
      "stub.validator.read.ratio": ratioOf(cpu(reads.validator), cpu(reads.stub)).ratio,
      "stub.validator.write.ratio": ratioOf(cpu(writes.validator), cpu(writes.stub)).ratio,
    },
  };
}

async function loadsOf(
  { quick, report }: Setting,
  servers: Servers,
  target: Target,
): Promise<Record<Way, Loaded[]>> {
  const [rounds, seconds, warmUp] = quick ? [1, 0.7, 1] : [7, 3, 1];
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
