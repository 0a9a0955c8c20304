import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitList } from "../../src/clients/provider/registry-page.ts";

/** Names and texts that a splitter could take for structure. */
const text = fc.oneof(fc.constantFrom("list", '"', "\\", '\\"', "[", "]", "{,}", "list\\", ""), fc.string());
/** V8's JSON.parse in Node 24 confuses names that differ in one escaped character. */
const name = fc.oneof(fc.constantFrom("list", "[", "]", "{,}", ""), fc.stringMatching(/^[a-z,:]*$/));
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.constant(null), tie("array"), tie("object")),
  array: fc.array(tie("any"), { maxLength: 4 }),
  object: fc.dictionary(name, tie("any"), { maxKeys: 4 }),
}));
const objectWith = (list: unknown[], rest: object, isFirst: boolean) =>
  Object.fromEntries([...(isFirst ? [["list", list]] : []), ...Object.entries(rest), ["list", list]]);
const without = (rest: unknown) =>
  Object.fromEntries(Object.entries(rest ?? {}).filter(([name]) => name !== "list"));

describe("an object that is split at the entries of its list", () => {
  it.each([undefined, 2])("is the same object when its parts are parsed (indented by %s)", (indent) => {
    const list = fc.array(value.any, { maxLength: 6 });
    fc.assert(
      fc.property(list, value.object, fc.boolean(), (entries, rest, isFirst) => {
        const object = objectWith(entries, without(rest), isFirst);
        const split = splitList(JSON.stringify(object, null, indent), "list", 100);
        expect(JSON.parse(split.frame)).toEqual({ ...object, list: [] });
        expect([...split.entries].map((entry) => JSON.parse(entry))).toEqual(entries);
        expect(split.count).toBe(entries.length);
      }),
    );
  });

  it("is found by a name with escapes, and the last of two members counts", () => {
    const split = splitList('{"list":[1,2],"l\\u0069st":[ 3 ],"other":["list",[4]]}', "list", 100);
    expect([split.frame, ...split.entries]).toEqual([
      '{"list":[],"l\\u0069st":[],"other":["list",[4]]}',
      " 3 ",
    ]);
  });

  it("is split no further after the given number of entries", () => {
    expect(splitList(`{"list":[${"1,".repeat(50)}1]}`, "list", 10).count).toBe(11);
  });
});
