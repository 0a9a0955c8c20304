import { readFileSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { parse, stringify } from "yaml";
import { packageFile } from "../verify/package-files.ts";
import { reportUnusable } from "./command-failure.ts";
import type { Io } from "./io.ts";
import { choice, readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact spec NAME: prints a document of the contract as one file, without references to other files.

  NAME           provider     what a provider exposes (OpenAPI)
                 platform     where the platform takes webhooks (OpenAPI)
                 operations   the platform's own API (OpenAPI)
                 candidate    the pages for candidates (OpenAPI)
                 events       the webhooks (AsyncAPI 3.0)
                 notifications  what the platform hands to a company's own service (AsyncAPI 3.0)
  --openapi V    3.1 or 3.0; 3.1 unless given. What 3.0 cannot express is named in the descriptions
  --format F     yaml or json; yaml unless given, or unless FILE ends in .json
  --tolerant     what the platform accepts, which is more than a provider should send; only of provider, platform and events
  --routing R    path or header: the paths of one routing alone, for those who build a provider; both unless given
  --out FILE     writes FILE instead of printing

Exit code 0: done; 2: wrong arguments, or FILE could not be written.

Examples:
  shiftpact spec provider --openapi 3.0 --routing path --out provider.yaml
  shiftpact spec events --format json`;

const NAMES = ["provider", "platform", "operations", "candidate", "events", "notifications"];
/** The AsyncAPI documents. */
const MESSAGES = ["events", "notifications"];
/** What the platform accepts may be more than what others should send. */
const TOLERANT = ["provider", "platform", "events"];

type Flags = ReturnType<typeof flagsOf>["values"];

/** @returns the exit code: 0 done, 2 wrong arguments or a file that cannot be written. */
export async function spec(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = flagsOf(argv);
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const text = textOf(nameFrom(positionals), values);
    if (values.out === undefined) io.stdout(text.trimEnd());
    else write(values.out, text, io);
    return 0;
  } catch (error) {
    return reportUnusable("spec", error, io);
  }
}

function flagsOf(args: string[]) {
  return readFlags({
    args,
    allowPositionals: true,
    options: {
      openapi: { type: "string" },
      format: { type: "string" },
      tolerant: { type: "boolean", default: false },
      routing: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

function nameFrom([name, ...rest]: string[]): string {
  if (name === undefined || rest.length > 0) throw new UsageError(`give one NAME of ${NAMES.join(", ")}`);
  if (NAMES.includes(name)) return name;
  throw new UsageError(`there is no document ${JSON.stringify(name)}; there are ${NAMES.join(", ")}`);
}

function textOf(name: string, flags: Flags): string {
  const isAsync = MESSAGES.includes(name);
  if (isAsync && flags.openapi !== undefined) {
    throw new UsageError(`${name} is an AsyncAPI document: omit --openapi`);
  }
  const version = choice("openapi", flags.openapi ?? "3.1", ["3.1", "3.0"]);
  const format = choice("format", flags.format ?? formatOf(flags.out), ["yaml", "json"]);
  if (flags.tolerant && !TOLERANT.includes(name))
    throw new UsageError(`${name} has one form: omit --tolerant`);
  const document = flags.tolerant ? `${name}-tolerant` : name;
  const file = isAsync ? `${document}.asyncapi-3.0` : `${document}.openapi-${version}`;
  const whole = read(`${file}.yaml`);
  if (flags.routing === undefined) return format === "yaml" ? whole : jsonOf(parse(whole));
  if (name !== "provider") throw new UsageError(`${name} has no routing: omit --routing`);
  const routing = choice("routing", flags.routing, ["path", "header"]);
  const routed = withRouting(parse(whole), routing);
  return format === "yaml" ? stringify(routed, YAML) : jsonOf(routed);
}

const jsonOf = (document: object) => `${JSON.stringify(document, undefined, 2)}\n`;

const YAML = { aliasDuplicateObjects: false, lineWidth: 0, compat: "yaml-1.1" } as const;

type PathItem = Record<string, { operationId?: string }>;

/** Keeps the paths of one routing; their operations have the names of the generated clients. */
function withRouting<Document extends { paths: Record<string, PathItem> }>(
  document: Document,
  routing: string,
) {
  const isOf = (path: string) => path.startsWith("/providers/{providerId}/") === (routing === "path");
  const paths = Object.entries(document.paths).filter(([path]) => isOf(path));
  return { ...document, paths: Object.fromEntries(paths.map(([path, item]) => [path, plainlyNamed(item)])) };
}

function plainlyNamed(item: PathItem): PathItem {
  const entries = Object.entries(item).map(([key, value]) =>
    value.operationId === undefined
      ? [key, value]
      : [key, { ...value, operationId: value.operationId.replace(/ByHeader$/, "") }],
  );
  return Object.fromEntries(entries);
}

const formatOf = (file = ""): string => (extname(file) === ".json" ? "json" : "yaml");

/** Finds the nearest folder upwards: the build places this file at another depth. */
const read = (file: string) => readFileSync(packageFile(`generated/spec/${file}`), "utf8");

function write(file: string, text: string, io: Io): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} could not be written: ${(error as Error).message}`);
  }
  io.stdout(`wrote ${file}`);
}
