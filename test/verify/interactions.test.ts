import { describe, expect, it } from "vitest";
import { fitsForms, formsOfInteraction, selectInteractions } from "../../src/verify/contracts.ts";
import { describeInteraction } from "../harness/pact/exchange.ts";

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
