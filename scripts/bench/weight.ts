import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { runNode } from "./command.ts";
import type { Resources } from "./resources.ts";
import { alternate } from "./rounds.ts";
import type { Section, Setting } from "./section.ts";
import { median } from "./statistics.ts";
import { type Row, shown } from "./table.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Comparable packages that call an API or receive its webhooks, in the measured versions. */
const PEERS = { "@octokit/webhooks": "14.2.0", octokit: "5.0.5", svix: "2.5.0" };

/** Typical imports of each package. */
const IMPORTS = [
  ["shiftpact", "shiftpact/provider/client", "createClient"],
  ["shiftpact", "shiftpact", "createProviderClient"],
  ["shiftpact", "shiftpact", "createWebhookClient"],
  ["shiftpact", "shiftpact/verify", "verify"],
  ["@octokit/webhooks", "@octokit/webhooks", "Webhooks"],
  ["octokit", "octokit", "Octokit"],
  ["svix", "svix", "Svix"],
  ["svix", "svix", "Webhook"],
] as const;

export const weight: Section = {
  name: "weight",
  title: "Packages",
  packages: [],
  run: async (setting) => {
    setting.report("packing both packages");
    const packages = await installed(setting);
    const sizes = await Promise.all(
      Object.entries(packages).map(async ([name, folder]) => [name, await sizeOf(folder)] as const),
    );
    setting.report("bundles and imports");
    const imports = await importsOf(setting, packages);
    const [own] = sizes.flatMap(([name, size]) => (name === "shiftpact" ? [size] : []));
    const client = imports.find(({ what }) => what === "createProviderClient");
    return {
      tables: [
        {
          title: "Installation size",
          about:
            "`npm install` of one package into an empty folder. MB: the bytes of all files. `@shiftpact/platform` includes a database.",
          head: ["package", "packages", "MB", "with an install script"],
          rows: sizes.map(([name, { packages, bytes, scripts }]) => ({
            id: idOf(name),
            cells: [name, shown(packages), shown(bytes / 1e6), scripts.join(", ") || "none"],
          })),
        },
        {
          title: "Import size and time",
          about:
            "The minified esbuild bundle of one import for a browser (for Node where a package needs it), and the import in a new Node process, without the start of Node.",
          head: ["import", "of", "kB", "kB compressed", "ms"],
          rows: imports.map(rowOf),
        },
      ],
      figures: {
        ...(own && { "weight.packages": own.packages, "weight.mb": own.bytes / 1e6 }),
        ...(client && { "weight.client.kb": client.bytes / 1e3, "weight.client.ms": client.ms }),
      },
    };
  },
};

const idOf = (text: string) => `weight-${text.replaceAll(/\W+/g, "-").replace(/^-/, "")}`;

/** Installs each package in an empty folder. */
async function installed({ resources, report }: Setting): Promise<Record<string, string>> {
  const tarballs = await resources.folder("packed");
  const packed: Record<string, string> = {};
  for (const [name, folder] of [["shiftpact"], ["@shiftpact/platform", "./dist/platform"]] as const) {
    const argv = [
      "pack",
      "--silent",
      "--pack-destination",
      tarballs,
      ...(folder === undefined ? [] : [folder]),
    ];
    const { stdout } = await run("npm", argv, { cwd: ROOT });
    packed[name] = join(tarballs, stdout.trim().split("\n").at(-1) ?? "");
  }
  const peers = Object.entries(PEERS).map(([name, version]) => [name, `${name}@${version}`]);
  const folders: Record<string, string> = {};
  for (const [name = "", what = ""] of [...Object.entries(packed), ...peers]) {
    report(`npm install ${name}`);
    const folder = join(await resources.folder("installed"), "project");
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), '{"private":true,"type":"module"}\n');
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", what], { cwd: folder });
    folders[name] = folder;
  }
  return folders;
}

interface Size {
  packages: number;
  bytes: number;
  /** Returns the packages with an install script. */
  scripts: string[];
}

async function sizeOf(folder: string): Promise<Size> {
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  const entries = Object.entries(lock.packages as Record<string, { hasInstallScript?: boolean }>);
  const files = await readdir(join(folder, "node_modules"), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  const scripts = entries
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  return {
    packages: entries.length,
    bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    scripts,
  };
}

interface Import {
  what: string;
  from: string;
  /** The minified size. */
  bytes: number;
  compressed: number;
  /** Median. */
  ms: number;
}

async function importsOf({ resources, quick }: Setting, packages: Record<string, string>): Promise<Import[]> {
  const measured = IMPORTS.map(([name, from, what]) => ({ folder: packages[name] ?? "", from, what }));
  const times = await alternate(
    Object.fromEntries(
      measured.map(({ folder, from }, index) => [String(index), () => importTime(resources, folder, from)]),
    ),
    quick ? 1 : 9,
  );
  return Promise.all(
    measured.map(async ({ folder, from, what }, index) => {
      const bundle = await bundleOf(folder, `import { ${what} } from "${from}"; console.log(${what});`);
      return {
        what,
        from,
        bytes: bundle.length,
        compressed: gzipSync(bundle).length,
        ms: median(times[String(index)] ?? []),
      };
    }),
  );
}

async function bundleOf(resolveDir: string, contents: string): Promise<Uint8Array> {
  const make = async (platform: "browser" | "node") => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      logLevel: "silent",
      platform,
    });
    return outputFiles[0]?.contents ?? new Uint8Array();
  };
  return make("browser").catch(() => make("node"));
}

/** Milliseconds. */
async function importTime(resources: Resources, cwd: string, from: string): Promise<number> {
  const code = `const begun = performance.now(); await import(${JSON.stringify(from)}); console.log(performance.now() - begun);`;
  const { output } = await runNode(resources, ["--input-type=module", "--eval", code], { cwd });
  const ms = Number(output);
  if (Number.isNaN(ms)) throw new Error(`${from} could not be imported: ${output}`);
  return ms;
}

function rowOf({ what, from, bytes, compressed, ms }: Import): Row {
  const cells = [`\`${what}\``, `\`${from}\``, shown(bytes / 1e3), shown(compressed / 1e3), shown(ms)];
  return { id: idOf(`${from}-${what}`), cells };
}
