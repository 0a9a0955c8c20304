import { describe, expect, it } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import { faultOf, folderWith, openapi } from "./workspace.ts";

const json = (schema: object) => ({ "application/json": { schema } });
const response = (content: object) => ({ responses: { 200: { description: "", content } } });

describe("schemas in separate files", () => {
  it("keep their names, also when a document gives them the same name again", async () => {
    const schemas = { Part: { $ref: "shared/a.yaml#/Part" } };
    const operation = response(json({ $ref: "shared/a.yaml#/Whole" }));
    const shared = {
      Part: { type: "string" },
      Whole: { type: "object", properties: { part: { $ref: "#/Part" } } },
    };
    const files = { "small.openapi.yaml": openapi({ operation, schemas }), "shared/a.yaml": shared };
    const output = await emit(folderWith(files));
    expect(output.get("small/types.ts")).toContain('part?: components["schemas"]["Part"]');
    expect(output.get("small/types.ts")).toContain("export type Whole =");
  });

  it("must not clash, and an error names both places", async () => {
    const operation = response(json({ type: "array", items: { $ref: "a.yaml#/Part" } }));
    const schemas = { Part: { type: "number" } };
    const fault = await faultOf({
      "small.openapi.yaml": openapi({ operation, schemas }),
      "a.yaml": { Part: { type: "string" } },
    });
    expect(fault).toContain("spec/a.yaml:1:1 #/Part\n");
    expect(fault).toContain("spec/small.openapi.yaml#/components/schemas/Part");
  });

  it("may refer to themselves", async () => {
    const Tree = {
      type: "object",
      properties: { below: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    };
    const output = await emit(folderWith({ "small.openapi.yaml": openapi({ schemas: { Tree } }) }));
    expect(output.get("small/types.ts")).toContain('below?: components["schemas"]["Tree"][]');
  });
});
