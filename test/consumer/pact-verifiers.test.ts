import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CONTRACTS, readContract } from "../harness/pact/contract-file.ts";

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const guide = text("../../spec/guides/pact-verifiers.md");

/** Returns provider, event and state by name, with the names in the next two columns; of the platform's own contract only. */
function statesOf(markdown: string): Record<string, string[]> {
  const rows = [...markdown.matchAll(/^\| `([^`]+)` +\|([^|]*)\|([^|]*)\|/gm)];
  const names = (cell = "") => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const states = rows.map(([, state = "", parameters, values]) => [
    state,
    [...names(parameters), ...names(values)],
  ]);
  const asked = new Set(
    readContract("http").interactions.flatMap(({ providerStates = [] }) =>
      providerStates.map(({ name }) => name),
    ),
  );
  return Object.fromEntries(states.filter(([state]) => asked.has(String(state))));
}

const languages = { java: "JVM", go: "Go", csharp: ".NET" };

/** Returns all code blocks of a language, one after the other. */
const codeIn = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))]
    .map(([, code]) => code)
    .join("\n");

describe("the guide to Pact verifiers", () => {
  const states = statesOf(guide);

  it("lists the states and values of the contracts", () => {
    expect(Object.keys(states)).toHaveLength(6);
    expect(states).toEqual(statesOf(text("README.md")));
  });

  it.each(Object.entries(languages))("sets all of them up, and sends every event, in %s", (language) => {
    const code = codeIn(language);
    const events = readContract("events").interactions.map(({ description }) => description);
    const quoted = [
      ...Object.keys(states),
      ...Object.values(states).flat(),
      ...events,
      "scheduling-provider",
    ];
    expect([...new Set(quoted)].filter((name) => !code.includes(`"${name}"`))).toEqual([]);
    expect(code).toContain("PROVIDER_TOKEN");
  });

  it("shows the states of the provider in PHP as they are", () => {
    expect(`${codeIn("php")}`).toBe(text("../examples/php/states.php"));
  });

  it("names the written files", () => {
    for (const file of [CONTRACTS.http, CONTRACTS.events]) expect(guide).toContain(`\`${file}\``);
  });
});
