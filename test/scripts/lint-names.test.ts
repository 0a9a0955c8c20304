import { describe, expect, it } from "vitest";
import { lintNames } from "../../scripts/lint-names.ts";

describe("a command that would fetch a package by an unregistered name is refused", () => {
  it.each([
    "npx shiftpact verify http://127.0.0.1:8080",
    "npx --yes shiftpact@0.1.0 verify",
    'npx --yes "shiftpact@$version" verify',
    // npx reads the name as the value of --no.
    "npx --no shiftpact verify",
    "npx --package=shiftpact shiftpact verify",
    "npx shiftpact-platform --port 3000",
    "npx @shiftpact/platform",
    "npm exec --yes shiftpact -- verify",
    "pnpm dlx shiftpact spec",
    "npm install shiftpact",
    "npm install --save-dev shiftpact@0.1.0",
    "npm i express @shiftpact/platform",
    "yarn add shiftpact",
    "npx pact-verifier --file pacts/a.json",
    "npx prism mock provider.yaml",
  ])("%s", (command) => {
    expect(lintNames(`Text before.\n\`${command}\``)).toMatchObject([{ line: 2 }]);
  });
});

it.each([
  "npx --no-install shiftpact verify http://127.0.0.1:8080",
  "npx --no-install shiftpact-platform --port 3000",
  "npm install ./shiftpact-0.1.0.tgz ./shiftpact-platform-0.1.0.tgz",
  "npm install --prefix .shiftpact ./.shiftpact/shiftpact.tgz",
  "npm run -s shiftpact -- verify http://127.0.0.1:8080",
  "npx --no-install pact-verifier --file pacts/a.json",
  "npx vitest run test/sandbox",
  "npm owner ls shiftpact",
])("a command that fetches no such package is accepted: %s", (command) => {
  expect(lintNames(command)).toEqual([]);
});
