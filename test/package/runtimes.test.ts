import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { launchChromium } from "../harness/process.ts";
import { type Installed, type Packed, packAll, RUNTIMES } from "./installed.ts";

const run = promisify(execFile);
/** The limit of building, packing and installing. Milliseconds. */
const TIMEOUT_MS = 180_000;

let packed: Packed;
let installed: Installed;
let sandbox: Sandbox;
beforeAll(async () => {
  packed = await packAll();
  const runtimes = Object.entries(RUNTIMES).map(([name, version]) => `${name}@${version}`);
  installed = await packed.install(packed.shiftpact, "--ignore-scripts", ...runtimes);
  sandbox = await startSandbox();
}, TIMEOUT_MS);
afterAll(async () => {
  await sandbox?.close();
  packed?.remove();
});

/** Reads a shift with both clients, and prints the results. */
function script(shiftId: string): string {
  const { url, providerId, token } = sandbox;
  return `
import { createProviderClient } from "shiftpact";
import { createClient } from "shiftpact/provider/client";
const [baseUrl, providerId, token, shiftId] = ${JSON.stringify([url, providerId, token, shiftId])};
const client = createClient({
  baseUrl: baseUrl + "/providers/" + providerId,
  tokens: { providerToken: async () => token },
});
const { status, data } = await client.getShift({ params: { path: { shiftId } } });
const provider = createProviderClient({ baseUrl, providerId, token });
const call = { traceId: crypto.randomUUID() };
const { kind, shift } = await provider.getShift(shiftId, call);
const { kind: unknown } = await provider.getShift(crypto.randomUUID(), call);
const nowhere = createProviderClient({ baseUrl: "http://127.0.0.1:1", providerId, token });
const { kind: down, failure } = await nowhere.getShift(shiftId, call);
console.log(JSON.stringify({ status, same: data.id === shift.id, kind, positions: shift.positions, unknown, down, failure }));
`;
}

const OUTPUT = {
  status: 200,
  same: true,
  kind: "shift",
  positions: 2,
  unknown: "absent",
  down: "unavailable",
  failure: "connection_failed",
};

it.each([
  ["Node", (file: string) => [process.execPath, file]],
  ["Bun", (file: string) => [join(installed.folder, "node_modules/@oven/bun-linux-x64/bin/bun"), file]],
  [
    "Deno",
    (file: string) => [
      "deno",
      "run",
      "--quiet",
      "--no-remote",
      "--allow-net",
      "--allow-read",
      "--allow-env",
      file,
    ],
  ],
])("the clients work in %s", async (_, commandOf) => {
  const { shiftId } = sandbox.createShift({ positions: 2 });
  const file = join(installed.folder, "client.mjs");
  writeFileSync(file, script(shiftId));
  const [command = "", ...argv] = commandOf(file);
  const { stdout } = await run(command, argv, { cwd: installed.folder, env: installed.env });
  expect(JSON.parse(stdout)).toEqual(OUTPUT);
});

it("the clients work in a browser", async () => {
  const { shiftId } = sandbox.createShift({ positions: 2 });
  const { outputFiles } = await build({
    stdin: { contents: script(shiftId), resolveDir: installed.folder },
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    // A page of the same origin: a provider's API accepts no other.
    await page.route("**/page.html", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>A page</title>" }),
    );
    await page.goto(`${sandbox.url}/page.html`);
    const output = page.waitForEvent("console", (message) => message.text().startsWith("{"));
    await page.addScriptTag({ type: "module", content: outputFiles[0]?.text ?? "" });
    expect(JSON.parse((await output).text())).toEqual(OUTPUT);
  } finally {
    await browser.close();
  }
});
