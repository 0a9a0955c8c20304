import { readFileSync } from "node:fs";

const DOCUMENTS = [
  "README.md",
  ...["verify", "platform", "pact-verifiers", "contributing"].map((name) => `spec/guides/${name}.md`),
];

/** What takes the place of `npx --no-install shiftpact` in a checkout. */
export const CLI = "npm run -s shiftpact -- ";

/** Returns every command in the shell blocks of the README and of guides, as typed in a checkout, without comments. */
export function documentedCommands(): string[] {
  const blocks = DOCUMENTS.flatMap((file) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = ""]) => block);
  });
  const lines = blocks.flatMap((block) => block.replaceAll("\\\n", " ").split("\n")).map(commandOf);
  return [...new Set(lines.filter((line) => line !== "" && !line.startsWith("export ")))];
}

function commandOf(line: string): string {
  return line
    .replace(/\s+#\s.*$/, "")
    .replaceAll(/ {2,}/g, " ")
    .replaceAll("npx --no-install shiftpact ", CLI)
    .trim();
}

/** Lines of .ci/run, and what follows a command there when it has further flags. */
const IN_CI: readonly (readonly [command: string, next?: string])[] = [
  ["npm ci"],
  ["npm start -- --once"],
  ["npm test"],
  ["npm run simulate -- --schedules 20000", " "],
  ["npm run test:proofs"],
  ["npm run test:embedded"],
  ["npm run chaos -- --kills 5 --malformed 20000"],
  ["npm run chaos -- --failover", " "],
  ["npm run bench -- --quick"],
];

/** The file that runs a command that this folder does not, and text of it that a removal of the command would remove. */
export const RUN_ELSEWHERE: Readonly<Record<string, { file: string; words: string }>> = {
  ...Object.fromEntries(
    IN_CI.map(
      ([command, next = "\n"]) => [command, { file: ".ci/run", words: `\n${command}${next}` }] as const,
    ),
  ),
  "sed -i 's/outletCount/mappedOutlets/' spec/operations.openapi.yaml": {
    file: "test/package/contributing.test.ts",
    words: "text.matchAll(/^(sed -i ",
  },
  "npm ci && npm start -- --once": { file: ".ci/run", words: "npm start -- --once" },
  ".ci/release --dry-run": { file: "test/package/release.test.ts", words: 'release("--dry-run")' },
  "npm start -- --once --port 0 --sandbox-port 0": {
    file: "test/cli/start.test.ts",
    words: '["--port", "0", "--sandbox-port", "0"]',
  },
  "npm ci && npm pack && npm pack ./dist/platform": {
    file: "test/package/installed.ts",
    words: 'pack("./dist/platform")',
  },
  "npm install ./shiftpact-0.1.0.tgz": {
    file: "test/package/installed.ts",
    words: '"install", "--no-audit"',
  },
  "npm install ./shiftpact-platform-0.1.0.tgz": {
    file: "test/package/package.test.ts",
    words: "packed.install(shiftpact, platform, ...EXPRESS)",
  },
  "npx --no-install shiftpact-platform --help": {
    file: "test/package/package.test.ts",
    words: '"shiftpact-platform", "--help"',
  },
  [`${CLI}--help`]: { file: "test/package/package.test.ts", words: 'it.each(["--help"' },
  "npm pack --pack-destination .shiftpact/image ./dist/platform": {
    file: "test/package/installed.ts",
    words: 'pack("./dist/platform")',
  },
  "cp dist/image/*.json .shiftpact/image": { file: "test/package/image.test.ts", words: "...packed.image" },
  "mkdir -p .shiftpact/image && npm pack --pack-destination .shiftpact/image": {
    file: "test/package/installed.ts",
    words: "await pack()",
  },
  "podman build --tag shiftpact --file Containerfile .shiftpact/image": {
    // On a base image of this machine's files: no other can be pulled here.
    file: "test/package/image.ts",
    words: 'join(PROJECT, "Containerfile")',
  },
  "podman run --rm --network host --env PROVIDER_TOKEN shiftpact verify http://127.0.0.1:8080 --provider-id UUID":
    {
      file: "test/package/image.test.ts",
      words: "has the command in this version",
    },
  "npm run generate": { file: "test/generate/generate.test.ts", words: "scripts/generate.ts" },
  "npm run generate -- --check": { file: "scripts/check.ts", words: '["generate", "--", "--check"]' },
  "npm run typecheck": { file: "scripts/check.ts", words: '["typecheck"]' },
  "npm run lint": { file: "scripts/check.ts", words: '["lint"]' },
  "npm run contract:diff": { file: "test/scripts/contract-diff.test.ts", words: "contract-diff.ts" },
  "npm run contract:diff -- --base HEAD~1": {
    file: "test/scripts/contract-diff.test.ts",
    words: '"--base", "HEAD~1"',
  },
  "npm run contracts:write": {
    file: "package.json",
    words: '"contracts:write": "CONTRACTS=write vitest run .pact.test"',
  },
  "npx --no-install pact-stub-server --port 4010 --file stub/scheduling-provider.stub.json": {
    file: "test/cli/contracts-stub.test.ts",
    words: "node_modules/.bin/pact-stub-server",
  },
  ...Object.fromEntries(
    [
      "PROVIDER_STATES=1 php -S 127.0.0.1:8080 index.php",
      `${CLI}contracts --routing path --variant b --not-found empty --unassign put --ack full --deleted cancelled --registry absent --out pacts`,
      'npx --no-install pact-verifier --dir pacts --provider-name scheduling-provider --hostname 127.0.0.1 --port 8080 --state-change-url http://127.0.0.1:8080/states --header "Authorization=Bearer $PROVIDER_TOKEN"',
    ].map((command) => [command, { file: "test/examples/php.test.ts", words: "commandsOf(section)" }]),
  ),
  "npm run contracts:publish": { file: "test/scripts/publish-contracts.test.ts", words: "publish-contracts" },
  "npm run docs": { file: "test/package/docs.test.ts", words: "scripts/docs.ts" },
  "npm run build": { file: "package.json", words: '"prepack": "npm run -s build"' },
};
