import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const HANDLERS = "src/platform/http/operations/";
const { tags, paths } = parse(readFileSync("spec/operations.openapi.yaml", "utf8"));
const operations: { operationId: string; tags: string[] }[] = Object.values<object>(paths)
  .flatMap((path) => Object.values(path))
  .filter(({ operationId }) => operationId !== undefined);

describe("the handlers of the operations API", () => {
  it("are in one file per tag of the document", () => {
    const files = tags.map(({ name }: { name: string }) => `${name}.ts`);
    expect(readdirSync(HANDLERS)).toEqual(files.toSorted());
  });

  it.each(operations)("has $operationId in the file of its tag", ({ operationId, tags: [tag] }) => {
    const source = readFileSync(`${HANDLERS}${tag}.ts`, "utf8");
    expect(source).toMatch(new RegExp(`^    ${operationId}: `, "m"));
  });
});
