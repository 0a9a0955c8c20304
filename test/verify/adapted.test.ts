import fc from "fast-check";
import { expect, it } from "vitest";
import { adapted } from "../../src/verify/compare/document.ts";

const ref = (index: number) => ({ $ref: `#/components/schemas/s${index}` });
const documentOf = (schemas: readonly object[]) => ({
  components: {
    schemas: Object.fromEntries(schemas.map((each, index) => [`s${index}`, each])) as Record<string, object>,
  },
});
const own = (index: number) => ({
  required: [`p${index}`, "p0"],
  properties: { [`p${index}`]: { type: "string", readOnly: true } },
});

it("reads each `allOf` three times at most, however they lead back to themselves", () => {
  const targets = fc.array(fc.array(fc.nat(30), { maxLength: 30 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(targets, (all) => {
      let reads = 0;
      const schemas = all.map((each, index) => ({
        ...own(index),
        get allOf() {
          reads += 1;
          return each.map(ref);
        },
      }));
      const document = documentOf(schemas);
      adapted(document, document);
      return reads <= 3 * schemas.length;
    }),
  );
});

it("requires no readOnly property of a schema that `allOf` leads to", () => {
  const document = documentOf([
    { required: ["p1", "p2", "mine"], allOf: [ref(1)] },
    { ...own(1), allOf: [ref(0), ref(2)] },
    { ...own(2), allOf: [ref(0)] },
  ]);
  const { components } = adapted(document, document) as typeof document;
  expect(components.schemas).toMatchObject({ s0: { required: ["mine"] }, s1: { required: ["p0"] } });
});
