import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { timeNode } from "./command.ts";
import type { Resources } from "./resources.ts";
import { alternate } from "./rounds.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median, ratioOf } from "./statistics.ts";
import { shown, shownRatio } from "./table.ts";

export const generation: Section = {
  name: "generation",
  title: "Generation",
  packages: ["openapi-typescript", "@hey-api/openapi-ts", "swagger-typescript-api", "ajv"],
  run: async (setting) => {
    const { quick, resources } = setting;
    setting.report("bundling the document");
    const folder = await documentFolder(resources);
    const times = await timesOf(setting, folder, quick ? 1 : 7);
    const whole = await wholeSpec(setting, quick ? 1 : 5);
    const rows = names.map((name) => rowOf(name, times));
    return {
      tables: [
        {
          title: "Code generation from a document",
          about: ABOUT,
          head: ["generator", "output", "ms", "lines", "time against shiftpact"],
          rows: [...rows, wholeRow(whole)],
        },
      ],
      figures: {
        "generation.seconds": median(whole) / 1_000,
        "generation.hey-api.ratio": ratioOf(times.heyApi.map(ms), times.shiftpact.map(ms)).ratio,
        "generation.swagger-typescript-api.ratio": ratioOf(times.swagger.map(ms), times.shiftpact.map(ms))
          .ratio,
      },
    } satisfies SectionResult;
  },
};

const ABOUT = `\`spec/provider.openapi.yaml\` in one file, from the start of each program to its end, as on the command line. The output
differs: shiftpact writes the most, checks every \`oneOf\` for overlapping branches, compiles validators and formats everything.`;

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
export async function documentFolder(resources: Resources): Promise<string> {
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
  return folder;
}

interface Generated {
  ms: number;
  lines: number;
}

const ms = (generated: Generated) => generated.ms;

async function timesOf(
  { resources, report }: Setting,
  folder: string,
  rounds: number,
): Promise<Record<Name, Generated[]>> {
  const turn = (name: Name) => async (): Promise<Generated> => {
    const out = await resources.folder("generated");
    const took = await timeNode(resources, argvOf(name, join(folder, DOCUMENT), out), { cwd: folder });
    return { ms: took, lines: await linesIn(out) };
  };
  const turns = { shiftpact: turn("shiftpact"), heyApi: turn("heyApi"), swagger: turn("swagger") };
  return alternate(turns, rounds, (name, round) => report(`${WHAT[name][0]}, round ${round} of ${rounds}`));
}

function argvOf(name: Name, file: string, out: string): string[] {
  const heyApi = ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch", "zod"];
  return {
    shiftpact: [join(ROOT, "scripts/generate.ts"), "--spec", dirname(file), "--out", out],
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
    const argv = [join(ROOT, "scripts/generate.ts"), "--spec", join(ROOT, "spec"), "--out", out];
    times.push(await timeNode(resources, argv, { cwd: ROOT }));
  }
  return times;
}

function rowOf(name: Name, times: Record<Name, Generated[]>) {
  const ratio = ratioOf(times[name].map(ms), times.shiftpact.map(ms));
  const figures = [median(times[name].map(ms)), times[name][0]?.lines ?? 0].map(shown);
  return { id: `generation-${name.toLowerCase()}`, cells: [...WHAT[name], ...figures, shownRatio(ratio)] };
}

function wholeRow(times: readonly number[]) {
  const output = "the same for all four documents of `spec/`";
  return { id: "generation-whole", cells: ["`npm run generate`", output, shown(median(times)), "", ""] };
}
