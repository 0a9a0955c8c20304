import fc from "fast-check";
import { expect, it } from "vitest";
import { isUuid } from "../../src/contract/uuid.ts";
import { uuidFrom } from "../../src/verify/http-target.ts";
import { idUnlike, tokenUnlike, unlike } from "../../src/verify/test-numbers.ts";

const run = { madeUp: (name: string) => uuidFrom(`1 ${name}`) };

it("an unlike text has the same form, differs, and depends only on the salt", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*$/), fc.string(), (text, salt) => {
      const other = unlike(text, salt);
      expect(other).not.toBe(text);
      expect(other).toHaveLength(text.length);
      expect(other.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0")).toBe(
        text.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0"),
      );
      expect(unlike(text, salt)).toBe(other);
    }),
  );
});

it("a made-up token has the real one's length and prefix", () => {
  const other = tokenUnlike("provider_Ab3dE6", "salt");
  expect(other).toMatch(/^provider_[A-Z][a-z]\d[a-z][A-Z]\d$/);
  expect(other).not.toBe("provider_Ab3dE6");
  expect(tokenUnlike("abc", "salt")).not.toBe("abc");
  expect(tokenUnlike("a_", "salt")).not.toBe("a_");
});

it.each([
  ["6f7f8f9f-0000-4000-8000-000000000001", isUuid],
  ["65f0a1b2c3d4e5f601234567", (id: string) => /^[0-9a-f]{24}$/.test(id)],
  ["7", (id: string) => Number(id) > 1_900_000_000 && Number(id) < 2 ** 31],
  ["shift-2030-0001", (id: string) => /^[a-z]{5}-\d{4}-\d{4}$/.test(id)],
  ["s-1", isUuid],
])("an unknown id has the form of %s", (known, isOfForm) => {
  const id = idUnlike(known, run, "shift");
  expect(id).not.toBe(known);
  expect(id).toSatisfy(isOfForm);
});
