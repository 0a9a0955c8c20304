import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const pathOf = (command: string) => fileURLToPath(new URL(`../../src/cli/${command}.ts`, import.meta.url));

/** Runs the command as if this Node had another version. */
function runOn(version: string, command: string) {
  const disguise = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(disguise)}`];
  return spawnSync(process.execPath, [...flags, pathOf(command), "--help"], { encoding: "utf8" });
}

it.each([
  ["start", "npm start"],
  ["shiftpact", "shiftpact"],
  ["platform-command", "shiftpact-platform"],
])("%s refuses a Node that is too old, in one line", (command, name) => {
  const { status, stdout, stderr } = runOn("22.11.9", command);
  expect([status, stdout, stderr]).toEqual([
    2,
    "",
    `${name}: Node 22.11.9 is not supported: install Node 22.12 or newer\n`,
  ]);
  expect(runOn("22.12.0", command).status).toBe(0);
});
