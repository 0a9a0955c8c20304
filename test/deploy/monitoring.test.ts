import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { issueCodes } from "../../src/contract/operator-text.ts";
import { startWithTenants } from "../harness/tenants.ts";
import { shipped } from "./proxies.ts";

const run = promisify(execFile);
const readText = (name: string) => readFile(shipped(name), "utf8");

interface Rules {
  groups: { rules: { alert?: string; record?: string; expr: string }[] }[];
}

const rules = (parse(await readText("prometheus-rules.yaml")) as Rules).groups.flatMap(
  (group) => group.rules,
);
const alerts = rules.flatMap(({ alert }) => alert ?? []);

/** The names of metrics in an expression; a histogram's without its suffix. */
const metricsIn = (expr: string) =>
  [...expr.matchAll(/\b(?:shiftpact|process)_[a-z_]+\b/g)].map(([name]) => name.replace(/_bucket$/, ""));

describe("the alert rules", () => {
  it("are valid, and do what their tests say", async () => {
    const folder = dirname(shipped("prometheus-rules.yaml"));
    await run("promtool", ["check", "rules", "prometheus-rules.yaml"], { cwd: folder });
    const { stdout } = await run("promtool", ["test", "rules", "prometheus-rules.test.yaml"], {
      cwd: folder,
    });
    expect(stdout).toContain("SUCCESS");
  });

  it("are all tested", async () => {
    const tests = await readText("prometheus-rules.test.yaml");
    expect(alerts.filter((alert) => !tests.includes(`alertname: ${alert}\n`))).toEqual([]);
  });
});

describe("the rules and the dashboard", () => {
  it("name only metrics that the platform has, and rules that are recorded", async () => {
    const harness = await startWithTenants("postgres");
    const text = (await harness.send("/metrics")).text;
    await harness.close();
    const known = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const dashboard = JSON.parse(await readText("grafana-dashboard.json"));
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr)),
    ];
    expect(exprs.flatMap(metricsIn).filter((name) => !known.has(name))).toEqual([]);
    const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
    const used = exprs.flatMap((expr) => [...expr.matchAll(/shiftpact:[\w:]+/g)].map(([name]) => name));
    expect(used.filter((name) => !recorded.has(name))).toEqual([]);
    expect(exprs.length).toBeGreaterThan(30);
  });
});

describe("the runbook", () => {
  it("has a section for each alert and each issue, and for nothing else", async () => {
    const text = await readFile(new URL("../../spec/guides/runbook.md", import.meta.url), "utf8");
    const sections = [...text.matchAll(/^### (\w+)\n\n(.+)/gm)];
    expect(sections.map(([, name]) => name).sort()).toEqual([...alerts, ...issueCodes].sort());
    for (const [, name, first = ""] of sections) expect(`${name}: ${first}`.length).toBeGreaterThan(60);
  });
});
