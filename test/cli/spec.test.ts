import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { operationsTable } from "../../generated/provider/server.ts";
import { shiftpact } from "../../src/cli/shiftpact.ts";
import { terminal } from "../harness/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "spec-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const { io, out, err } = terminal();
  const code = await shiftpact(["spec", ...argv], io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const committed = (file: string): string =>
  readFileSync(new URL(`../../generated/spec/${file}`, import.meta.url), "utf8");

describe("shiftpact spec", () => {
  it.each([
    ["provider", "provider.openapi-3.1.yaml"],
    ["platform --openapi 3.0", "platform.openapi-3.0.yaml"],
    ["operations --openapi 3.1 --format yaml", "operations.openapi-3.1.yaml"],
    ["events", "events.asyncapi-3.0.yaml"],
    ["notifications", "notifications.asyncapi-3.0.yaml"],
    ["provider --tolerant", "provider-tolerant.openapi-3.1.yaml"],
    ["events --tolerant", "events-tolerant.asyncapi-3.0.yaml"],
  ])("prints the whole file: %s", async (argv, file) => {
    const { code, out, err } = await run(...argv.split(" "));
    expect([code, err]).toEqual([0, ""]);
    expect(`${out}\n`).toBe(committed(file));
  });

  it.each([
    ["provider --openapi 3.0", "provider.openapi-3.0.yaml"],
    ["events", "events.asyncapi-3.0.yaml"],
  ])("prints the same as JSON: %s", async (argv, file) => {
    const { out } = await run(...argv.split(" "), "--format", "json");
    expect(JSON.parse(out)).toEqual(parse(committed(file)));
  });

  it.each([
    ["path", "/providers/{providerId}/roles"],
    ["header", "/roles"],
  ])("prints the paths of one routing: %s", async (routing, roles) => {
    for (const format of ["json", "yaml"]) {
      const { code, out } = await run("provider", "--routing", routing, "--format", format);
      const { paths, components } = parse(out);
      expect([code, Object.keys(paths).at(-1)]).toEqual([0, roles]);
      const operations = Object.values<Record<string, { operationId?: string }>>(paths).flatMap((item) =>
        Object.values(item).flatMap(({ operationId }) => operationId ?? []),
      );
      expect(operations).toEqual(operationsTable.map(({ operationId }) => operationId));
      expect(components.schemas).toHaveProperty("ShiftVariantA");
    }
  });

  it("writes a file, as JSON if its name ends in .json", async () => {
    const [yaml, json] = [join(folder, "provider.yaml"), join(folder, "provider.json")];
    for (const file of [yaml, json]) {
      expect(await run("provider", "--out", file)).toEqual({ code: 0, out: `wrote ${file}`, err: "" });
    }
    expect(readFileSync(yaml, "utf8")).toBe(committed("provider.openapi-3.1.yaml"));
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(parse(readFileSync(yaml, "utf8")));
  });

  it("prints its help, with examples", async () => {
    const { code, out } = await run("--help");
    expect(code).toBe(0);
    for (const words of ["--openapi V", "Examples:\n  shiftpact spec provider --openapi 3.0"]) {
      expect(out).toContain(words);
    }
  });

  it.each([
    ["", /give one NAME of provider, platform, operations, candidate, events, notifications/],
    ["provider platform", /give one NAME/],
    [
      "providers",
      /there is no document "providers"; there are provider, platform, operations, candidate, events, notifications$/,
    ],
    ["toString", /there is no document "toString"/],
    ["provider --openapi 2.0", /--openapi must be 3.1 or 3.0, not "2.0"/],
    ["provider --format xml", /--format must be yaml or json, not "xml"/],
    ["events --openapi 3.0", /events is an AsyncAPI document/],
    ["notifications --tolerant", /notifications has one form/],
    ["provider --out /no/such/folder/a.yaml", /\/no\/such\/folder\/a\.yaml could not be written/],
    ["operations --tolerant", /operations has one form: omit --tolerant/],
    ["provider --routing auto", /--routing must be path or header, not "auto"/],
    ["platform --routing path", /platform has no routing/],
    ["provider --colour", /--colour.*see --help/],
  ])("refuses with one line and 2: %s", async (argv, message) => {
    const { code, out, err } = await run(...argv.split(" ").filter((each) => each !== ""));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
    expect(err).toMatch(/^shiftpact spec: [^\n]+$/);
  });
});
