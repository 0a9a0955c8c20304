import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { timeNode } from "./command.ts";
import { grownDocument } from "./grown-document.ts";
import type { Resources } from "./resources.ts";
import { alternate } from "./rounds.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median, type Ratio, ratioOf } from "./statistics.ts";
import { shown, shownRatio } from "./table.ts";

export const generation: Section = {
  name: "generation",
  title: "Generation",
  packages: ["openapi-typescript", "@hey-api/openapi-ts", "swagger-typescript-api", "ajv"],
  run: async (setting) => {
    const { quick, resources } = setting;
    setting.report("bundling the document");
    const once = await documentFolder(resources, 1);
    const single = await timesOf(setting, {
      folder: once,
      rounds: quick ? 1 : 7,
      what: "one document",
      names,
    });
    const times = quick ? 3 : 20;
    const grown = await documentFolder(resources, times);
    const large = { folder: grown, rounds: quick ? 1 : 3, what: `${times} times as large` };
    const many = await timesOf(setting, { ...large, names: quick ? ["shiftpact"] : names });
    const whole = await wholeSpec(setting, quick ? 1 : 5);
    const rows = names.map((name) => rowOf(name, single, many));
    return {
      tables: [
        {
          title: "Code generation from a document",
          about: aboutOf(times),
          head: headOf(times),
          rows: [...rows, wholeRow(whole)],
        },
      ],
      figures: {
        "generation.seconds": median(whole) / 1_000,
        "generation.hey-api.ratio": ratioOf(single.heyApi.map(ms), single.shiftpact.map(ms)).ratio,
        "generation.swagger-typescript-api.ratio": ratioOf(single.swagger.map(ms), single.shiftpact.map(ms))
          .ratio,
        "generation.growth.ratio": times / (medianMs(many.shiftpact) / medianMs(single.shiftpact)),
      },
    } satisfies SectionResult;
  },
};

const aboutOf = (
  times: number,
) => `\`spec/provider.openapi.yaml\` in one file, from the start of each program to its end, as on the command line; and the same document with all of its content ${times} times, under other names. The
output differs: shiftpact writes the most, checks every \`oneOf\` for overlapping branches, compiles validators and formats everything. "Growth" is how much longer
the large document takes.`;

const headOf = (times: number) => [
  "generator",
  "output",
  "ms",
  "lines",
  "time against shiftpact",
  `ms, ${times} times as large`,
  "growth",
];

type Name = "shiftpact" | "heyApi" | "swagger";
const names: readonly Name[] = ["shiftpact", "heyApi", "swagger"];

const WHAT: Readonly<Record<Name, readonly [generator: string, output: string]>> = {
  shiftpact: ["shiftpact", "types, client, Express 5 stub, compiled validators of requests and responses"],
  heyApi: ["@hey-api/openapi-ts", "types, client, zod schemas"],
  swagger: ["swagger-typescript-api", "types, client"],
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const DOCUMENT = "provider.openapi.yaml";

/** Returns the path of a file that a package does not export. */
const fileOf = (name: string, file: string) => join(ROOT, "node_modules", name, file);

/** Returns a folder that holds only the document. */
export async function documentFolder(resources: Resources, times: number): Promise<string> {
  const folder = await resources.folder("document");
  const file = join(folder, DOCUMENT);
  const argv = [
    fileOf("@redocly/cli", "bin/cli.js"),
    "bundle",
    join(ROOT, "spec", DOCUMENT),
    "--output",
    file,
  ];
  await timeNode(resources, argv, { cwd: ROOT, env: { REDOCLY_TELEMETRY: "off" } });
  const document = parse(await readFile(file, "utf8"));
  await writeFile(file, stringify(grownDocument(document, times), { aliasDuplicateObjects: false }));
  return folder;
}

interface Generated {
  ms: number;
  lines: number;
}

const ms = (generated: Generated) => generated.ms;
const medianMs = (all: readonly Generated[]) => median(all.map(ms));

interface Task {
  /** Returns a folder with the document. */
  folder: string;
  rounds: number;
  what: string;
  names: readonly Name[];
}

/** Generators that are not named have no entry. */
type Times = Record<Name, Generated[]>;

async function timesOf(
  { resources, report }: Setting,
  { folder, rounds, what, names }: Task,
): Promise<Times> {
  const turn = (name: Name) => async (): Promise<Generated> => {
    const out = await resources.folder("generated");
    const took = await timeNode(resources, argvOf(name, join(folder, DOCUMENT), out), { cwd: folder });
    return { ms: took, lines: await linesIn(out) };
  };
  const turns = Object.fromEntries(names.map((name) => [name, turn(name)]));
  const measured = await alternate(turns, rounds, (name, round) =>
    report(`${WHAT[name as Name][0]}, ${what}, round ${round} of ${rounds}`),
  );
  return { shiftpact: [], heyApi: [], swagger: [], ...measured };
}

const TSX = ["--import", import.meta.resolve("tsx")];

function argvOf(name: Name, file: string, out: string): string[] {
  const heyApi = ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch", "zod"];
  return {
    shiftpact: [...TSX, join(ROOT, "scripts/generate.ts"), "--spec", dirname(file), "--out", out],
    heyApi: [
      fileOf("@hey-api/openapi-ts", "bin/run.js"),
      "-i",
      file,
      "-o",
      join(out, "api"),
      "--no-log-file",
      "-p",
      ...heyApi,
    ],
    swagger: [fileOf("swagger-typescript-api", "dist/cli.mjs"), "generate", "-p", file, "-o", out],
  }[name];
}

async function linesIn(folder: string): Promise<number> {
  let lines = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) lines += (await readFile(path, "utf8")).split("\n").length - 1;
  }
  if (lines === 0) throw new Error(`no file was generated in ${folder}`);
  return lines;
}

/** Measures `npm run generate` on all documents of spec/. Milliseconds. */
async function wholeSpec({ resources, report }: Setting, rounds: number): Promise<number[]> {
  const out = join(await resources.folder("generated"), "generated");
  await mkdir(out);
  const times: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    report(`npm run generate, round ${round} of ${rounds}`);
    const argv = [...TSX, join(ROOT, "scripts/generate.ts"), "--spec", join(ROOT, "spec"), "--out", out];
    times.push(await timeNode(resources, argv, { cwd: ROOT }));
  }
  return times;
}

function rowOf(name: Name, single: Times, many: Times) {
  const ratio: Ratio = ratioOf(single[name].map(ms), single.shiftpact.map(ms));
  const [generator, output] = WHAT[name];
  const large = many[name].length > 0 ? medianMs(many[name]) : undefined;
  const growth = large === undefined ? "" : `${shown(large / medianMs(single[name]))} times`;
  const lines = shown(single[name][0]?.lines ?? 0);
  return {
    id: `generation-${name.toLowerCase()}`,
    cells: [
      generator,
      output,
      shown(medianMs(single[name])),
      lines,
      shownRatio(ratio),
      large === undefined ? "" : shown(large),
      growth,
    ],
  };
}

function wholeRow(times: readonly number[]) {
  return {
    id: "generation-whole",
    cells: [
      "`npm run generate`",
      "the same for all four documents of `spec/`",
      shown(median(times)),
      "",
      "",
      "",
      "",
    ],
  };
}
