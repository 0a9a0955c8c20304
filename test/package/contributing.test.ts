import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkOut } from "./installed.ts";

const run = promisify(execFile);
const guide = readFileSync(new URL("../../spec/guides/contributing.md", import.meta.url), "utf8");
const [, chapter = ""] = /^## The first edits\n([\s\S]*?)^## /m.exec(guide) ?? [];
const edits = chapter
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ title: text.slice(0, text.indexOf("\n")), text }));

let root: string;
let checkout: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "contributing-"));
  checkout = checkOut(root);
  expect(await namedFiles()).toEqual([]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Returns the files that the compiler names. The first run compiles everything, the next ones what has changed. */
async function namedFiles(): Promise<string[]> {
  const tsc = ["node_modules/typescript/bin/tsc", "--noEmit", "--pretty", "false"];
  const info = ["--tsBuildInfoFile", join(root, "compiled.tsbuildinfo")];
  const { stdout } = await run(process.execPath, [...tsc, ...info], { cwd: checkout }).catch(
    (error) => error,
  );
  const names = [...String(stdout).matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, name = ""]) => name);
  return [...new Set(names)].sort();
}

/** Returns every file of the block with the lines that must be there, and those that take their place. */
function changesOf(text: string): { file: string; before: string; after: string }[] {
  const [, block = ""] = /^```diff\n([\s\S]*?)^```$/m.exec(text) ?? [];
  return block
    .split(/^\+\+\+ /m)
    .slice(1)
    .flatMap((part) => {
      const [file = "", ...lines] = part.split("\n").slice(0, -1);
      const side = (sign: string) => (hunk: string) =>
        hunk
          .split("\n")
          .filter((line) => line.startsWith(sign) || line.startsWith(" "))
          .map((line) => `${line.slice(1)}\n`)
          .join("");
      const hunks = lines.join("\n").split(/^@@\n/m);
      return hunks.map((hunk) => ({ file, before: side("-")(hunk), after: side("+")(hunk) }));
    });
}

/** Edits the checkout as a step of the guide says. Returns what undoes it. */
async function perform(text: string): Promise<() => void> {
  const kept = new Map<string, string>();
  const keep = (file: string): string => {
    const content = readFileSync(join(checkout, file), "utf8");
    if (!kept.has(file)) kept.set(file, content);
    return content;
  };
  for (const { file, before, after } of changesOf(text)) {
    const parts = keep(file).split(before);
    expect([file, before, parts.length]).toEqual([file, before, 2]);
    writeFileSync(join(checkout, file), parts.join(after));
  }
  for (const [, command = "", file = ""] of text.matchAll(/^(sed -i \S+ (\S+))$/gm)) {
    keep(file);
    await run("sh", ["-c", command], { cwd: checkout });
  }
  expect(kept.size).toBeGreaterThan(0);
  return () => {
    for (const [file, content] of kept) writeFileSync(join(checkout, file), content);
  };
}

const generate = () => run(process.execPath, ["--import", "tsx", "scripts/generate.ts"], { cwd: checkout });

describe("the guide's chapter on the first edits", () => {
  it("has the five edits of a newcomer", () => {
    expect(edits.map(({ title }) => title)).toEqual([
      "Add an optional field of the shift",
      "Add an endpoint",
      "Add an event",
      "Add a value to an enum",
      "Rename a field",
    ]);
  });

  it.each(edits)("names the files that the compiler names: $title", async ({ text }) => {
    const [named = ""] = /^The compiler names [\s\S]*?(?=\n\n)/m.exec(text) ?? [];
    const [sentence] = named.split(/(?<=\.|:)(?:\s)/);
    const files = [...(sentence ?? "").matchAll(/`([^`]+\.tsx?)`/g)].map(([, file]) => file);
    const undo = await perform(text);
    try {
      await generate();
      expect(await namedFiles()).toEqual(files.sort());
    } finally {
      undo();
    }
  });

  it.each([
    ["no channel carries the message", /^ *(?:- \{ .*\/|)shiftReopen(?:: \{ |" \}).*\n/gm],
    [
      "no operation of this channel lists the message",
      /^ *- \{ \$ref: "#\/channels\/\w+\/messages\/shiftReopen" \}\n/gm,
    ],
  ])("is right that an event in no list is refused: %s", async (problem, list) => {
    const undo = await perform(edits.find(({ title }) => title === "Add an event")?.text ?? "");
    try {
      const file = join(checkout, "spec/events.asyncapi.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace(list, ""));
      await expect(generate()).rejects.toMatchObject({ stderr: expect.stringContaining(problem) });
    } finally {
      undo();
    }
  });
});
