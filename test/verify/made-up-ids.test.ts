import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUuid } from "../../src/contract/uuid.ts";
import { fitsForms, formsOfInteraction, selectInteractions } from "../../src/verify/contracts.ts";
import { uuidFrom } from "../../src/verify/http-target.ts";
import { idUnlike, tokenUnlike, unlike } from "../../src/verify/test-numbers.ts";
import { describeInteraction } from "../harness/pact/exchange.ts";

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

describe("the forms in an interaction's description", () => {
  it("are appended, and can be parsed", () => {
    const forms = { routing: "path", notFound: "404" } as const;
    const description = describeInteraction("looks up an unknown candidate", forms);
    expect(description).toBe("looks up an unknown candidate [routing=path notFound=404]");
    expect(formsOfInteraction(description)).toEqual(forms);
  });

  it.each(["lists the roles", "lists the roles [all of them]", "lists [a=b] the roles"])(
    "are absent in: %s",
    (description) => {
      expect(describeInteraction(description, {})).toBe(description);
      expect(formsOfInteraction(description)).toEqual({});
    },
  );
});

describe("an interaction fits a provider", () => {
  const description = "reads a shift [routing=path variant=a]";

  it.each([
    ["with exactly its forms", { routing: "path", variant: "a" }, true],
    ["with its forms and others", { routing: "path", variant: "a", unassign: "put" }, true],
    ["with another form", { routing: "path", variant: "b" }, false],
    ["with an unknown form", { routing: "path" }, false],
  ] as const)("%s: %o %s", (_, forms, fits) => {
    expect(fitsForms(description, forms)).toBe(fits);
  });

  it("if it names no form", () => {
    expect(fitsForms("lists the roles", {})).toBe(true);
  });

  it("and is selected, with the rest of the contract unchanged", () => {
    const interactions = [{ description }, { description: "cancels a shift [routing=header]" }];
    const contract = { consumer: { name: "platform" }, interactions };
    expect(selectInteractions(contract, { routing: "path", variant: "a" })).toEqual({
      consumer: { name: "platform" },
      interactions: [{ description }],
    });
  });
});
