import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { actionText, readAction } from "./harness/github-action.ts";

describe("action.yml", () => {
  const action = readAction();
  const { inputs, outputs, runs } = action;

  it("has what a composite action needs, and nothing that a runner does not know", () => {
    expect(Object.keys(action).sort()).toEqual(["description", "inputs", "name", "outputs", "runs"]);
    expect(runs.using).toBe("composite");
    for (const { description, required, default: usual } of Object.values(inputs)) {
      expect(description).toMatch(/\.$/);
      expect(required === true).toBe(usual === undefined);
    }
    const known = ["env", "id", "if", "name", "run", "shell", "uses", "with", "working-directory"];
    for (const step of runs.steps) {
      expect(Object.keys(step).filter((key) => !known.includes(key))).toEqual([]);
      expect([step.run !== undefined, step.shell !== undefined]).toEqual(
        step.uses === undefined ? [true, true] : [false, false],
      );
    }
  });

  it("pins the actions that it uses by commit", () => {
    const used = [...actionText.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, text]) => text);
    expect(used.length).toBeGreaterThan(0);
    for (const text of used) expect(text).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/);
  });

  it("uses every input, and only inputs, steps and outputs that exist", () => {
    const used = [...actionText.matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/g)].map(([, name]) => name);
    expect(used.sort()).toEqual(Object.keys(inputs).sort());
    const written = runs.steps.flatMap(({ id, run = "" }) =>
      [...run.matchAll(/echo "(\w+)=/g)].map(([, name]) => `steps.${id}.outputs.${name}`),
    );
    const read = [...actionText.matchAll(/steps\.\w+\.outputs\.\w+/g)].map(([place]) => place);
    expect(new Set(read)).toEqual(new Set(written));
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(["html", "junit"]));
  });

  it("hands inputs to its shell in the environment only, so that none is run as a command", () => {
    for (const { run = "", env = {} } of runs.steps) {
      expect(run).not.toContain("${{");
      const handed = new Set(["GITHUB_OUTPUT", "GITHUB_ACTION_PATH", "RUNNER_TEMP", ...Object.keys(env)]);
      const names = [...run.matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name = ""]) => name);
      expect(names.filter((name) => !handed.has(name))).toEqual([]);
    }
  });

  it.each(runs.steps.flatMap(({ run }, index) => (run === undefined ? [] : [[index, run] as const])))(
    "has a shell in step %i that bash can parse",
    (_, run) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: run, encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
    },
  );
});

it("Containerfile pins its base by digest, with the Node of this repository", () => {
  const text = readFileSync(new URL("../Containerfile", import.meta.url), "utf8");
  const base = `docker.io/library/node:${manifest.devDependencies.node}-bookworm-slim@sha256:`;
  expect([...text.matchAll(/^ARG BASE=(.*?)[0-9a-f]{64}$/gm)].map(([, name]) => name)).toEqual([base]);
});
