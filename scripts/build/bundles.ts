import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { billOf, bundledIn, noticesOf } from "./notices.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** ECMAScript modules for Node. CommonJS code in them needs `require`. */
const FOR_NODE = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  metafile: true,
  write: true,
  platform: "node",
  format: "esm",
  target: "node22",
  logLevel: "warning",
  charset: "utf8",
  // Names are kept for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: "[name]-[hash]",
  banner: {
    js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** The platform is a separate package: the command imports it for the platform's commands. */
const platformApart: Plugin = {
  name: "platform-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/platform-commands\.ts$/ }, ({ importer }) =>
      importer.endsWith("src/cli/shiftpact.ts") ? { path: "@shiftpact/platform", external: true } : undefined,
    );
  },
};

/** Keeps only UTF-8 of the charsets of Express: JSON has no other. The tables of the others are half a megabyte. */
const utf8Only: Plugin = {
  name: "utf8-only",
  setup({ onLoad }) {
    onLoad({ filter: /iconv-lite[/]encodings[/]tables[/].*[.]json$/ }, () => ({
      contents: "{}",
      loader: "json",
    }));
  },
};

/**
 * Bundles the command and the verification kit with their packages, so a client of a provider does not install those. The dependencies of
 * the library are shared with it.
 */
export async function buildKit(folder: string): Promise<void> {
  const { name, version, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: { shiftpact: "src/cli/shiftpact.ts", verify: "src/verify/index.ts" },
    outdir: folder,
    external: Object.keys(dependencies),
    plugins: [platformApart, utf8Only],
  });
  const bundled = bundledIn(ROOT, metafile);
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), noticesOf(bundled));
  writeFileSync(join(folder, "bom.cdx.json"), billOf({ name, version }, bundled));
}

/** The modules of the platform's threads, which no other module imports. */
const WORKERS = globSync("src/{cli,platform}/**/*-worker.ts", { cwd: ROOT });

/** Bundles the platform's command, and its commands for `shiftpact`. Returns the packages that it depends on. */
export async function buildPlatform(folder: string): Promise<string[]> {
  const { metafile } = await build({
    ...FOR_NODE,
    packages: "external",
    outdir: folder,
    entryPoints: {
      index: "src/cli/platform-commands.ts",
      command: "src/cli/platform-command.ts",
      ...Object.fromEntries(WORKERS.map((file) => [basename(file, ".ts"), file])),
    },
  });
  return packagesOf(metafile);
}

/** Returns the names of the packages that the bundles import, in order. */
function packagesOf({ outputs }: Metafile): string[] {
  const paths = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external && !path.startsWith("node:")).map(({ path }) => path),
  );
  return [...new Set(paths.map((path) => path.split("/", path.startsWith("@") ? 2 : 1).join("/")))].sort();
}

/** The platform's folder in `dist/`. */
export const PLATFORM = "platform";

/** The members of its package.json beside those of both packages. */
export const PLATFORM_PACKAGE = {
  name: "@shiftpact/platform",
  description:
    "The platform of shiftpact: receives the webhooks of scheduling providers, fills their shifts, and reports to its operators.",
  type: "module",
  sideEffects: ["./command.js"],
  exports: { ".": "./index.js", "./package.json": "./package.json" },
  bin: { "shiftpact-platform": "./command.js" },
};

export const PLATFORM_README = `# @shiftpact/platform

${PLATFORM_PACKAGE.description}

\`\`\`sh
npm install ./shiftpact-platform-VERSION.tgz
npx --no-install shiftpact-platform --port 3000 --data ./data
\`\`\`

It prints one line when it listens; the console is at \`/console/\`, the documentation with the operator's guide at \`/docs/\`. \`npx --no-install shiftpact-platform --help\`
lists the settings. Clients, stubs and the verification of providers are in the package \`shiftpact\`.
`;
