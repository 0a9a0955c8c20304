import { describe, expect, it } from "vitest";
import { fieldFaults } from "../../src/console/components/field-faults.ts";
import { addressWith, readFilter } from "../../src/console/components/filters.tsx";
import { HEALTH_FILTER, restText, totalOf, waitingText } from "../../src/console/integrations/badges.tsx";
import { choose, stillOpen, toMappings, unsaved } from "../../src/console/integrations/mapping.ts";
import { nextStep, stepsOf, unmapped } from "../../src/console/integrations/onboarding-section.tsx";
import { changeOf, webhookAddress } from "../../src/console/integrations/registration-fields.tsx";

describe("onboarding", () => {
  const nothing = { outlets: 0, mappedOutlets: 0, roles: 0, mappedRoles: 0 };
  const read = { ...nothing, outlets: 1, roles: 1 };
  const mapped = { ...read, mappedOutlets: 1, mappedRoles: 1 };
  const half = { ...mapped, mappedRoles: 0 };

  it.each([
    ["draft", nothing, "read"],
    ["draft", { ...read, roles: 0 }, "read"],
    ["draft", read, "mapped"],
    ["draft", half, "mapped"],
    ["draft", mapped, "active"],
    ["active", mapped, undefined],
    ["suspended", mapped, "active"],
    ["suspended", half, "active"],
    ["active", half, "mapped"],
  ] as const)("of a %s integration, case %#: %j -> next step %s", (state, mapping, next) => {
    expect(nextStep({ state }, stepsOf({ state, mapping }))?.name).toBe(next);
  });

  it("counts outlets and roles without a mapping", () => {
    expect([unmapped(read), unmapped(mapped), unmapped()]).toEqual([2, 0, 0]);
    const [, , step] = stepsOf({ state: "draft", mapping: half });
    expect(step?.detail).toBe("1 of 2; jobs of the others are blocked.");
  });
});

describe("mapping", () => {
  const kajen = { id: "o1", name: "Kajen", mappedTo: "w1", suggestions: [] };
  const lager = { id: "o2", name: "Lager", suggestions: [] };

  it("sends only the changed mappings", () => {
    const outlets = choose(choose({}, kajen, "w2"), lager, "w3");
    expect(toMappings({ outlets, roles: {} })).toEqual({
      outlets: [
        { outletId: "o1", workplaceId: "w2" },
        { outletId: "o2", workplaceId: "w3" },
      ],
      roles: [],
    });
    expect(unsaved({ outlets, roles: { r1: "c1" } })).toBe(3);
  });

  it("drops a choice that equals the stored mapping or selects nothing", () => {
    expect(choose({ o1: "w2" }, kajen, "w1")).toEqual({});
    expect(choose({ o2: "w3" }, lager, "")).toEqual({});
  });

  it("lists the items that are neither mapped nor chosen", () => {
    expect(stillOpen([kajen, lager], {})).toEqual([lager]);
    expect(stillOpen([kajen, lager], { o2: "w1" })).toEqual([]);
  });
});

describe("a corrected registration", () => {
  const before = {
    name: "Kajen",
    baseUrl: "https://p.example",
    kind: "tempo",
    timeZone: "Europe/Stockholm",
    routing: "path",
    routingSource: "detected",
  } as const;
  const { name, baseUrl, kind, timeZone } = before;
  const same = { name, baseUrl, kind, timeZone, routing: "auto", providerToken: "" } as const;

  it("contains only the changed members, and a token only if one is entered", () => {
    expect(changeOf(before, same)).toBeUndefined();
    expect(changeOf(before, { ...same, baseUrl: "https://q.example", providerToken: "token-new" })).toEqual({
      baseUrl: "https://q.example",
      providerToken: "token-new",
    });
  });

  it("contains what candidates read only if it is given, and another than the stored one", () => {
    const given = { ...same, language: "sv", contactPhone: "+46701740605" } as const;
    expect(changeOf(before, given)).toEqual({ language: "sv", contactPhone: "+46701740605" });
    const stored = { ...before, language: "sv", contactPhone: "+46701740605" } as const;
    expect(changeOf(stored, given)).toBeUndefined();
    expect(changeOf(stored, { ...same, language: undefined, contactPhone: "" })).toBeUndefined();
  });

  it("contains the routing when another is chosen or the detection is repeated", () => {
    expect(changeOf(before, { ...same, routing: "header" })).toEqual({ routing: "header" });
    const given = { ...before, routingSource: "given" } as const;
    expect(changeOf(given, { ...same, routing: "path" })).toBeUndefined();
    expect(changeOf(given, same)).toEqual({ routing: "auto" });
    expect(changeOf({ ...before, routingSource: "pending" }, same)).toEqual({ routing: "auto" });
  });
});

describe("faults of a form", () => {
  const FIELDS = ["baseUrl", "timeZone"];

  it("are assigned to their fields, in every form of the pointer", () => {
    const errors = [
      { pointer: "/baseUrl", message: "must be https" },
      { pointer: "#/body/timeZone", message: "must be a zone" },
    ];
    const { of, rest } = fieldFaults({ title: "The request is not valid", errors }, FIELDS);
    expect(of).toEqual({ baseUrl: "must be https", timeZone: "must be a zone" });
    expect(rest).toEqual({ title: "Nothing changed. Correct the marked fields." });
  });

  it("state the whole rule of a field with a pattern", () => {
    const errors = [{ pointer: "/kind", message: "must match ^[a-z][a-z0-9-]{1,31}$" }];
    expect(fieldFaults({ title: "No", errors }, ["kind"]).of.kind).toMatch(/lower-case letters/);
  });

  it("keep the message of a missing value", () => {
    const errors = [
      { pointer: "/providerToken", message: "is required, because the base URL leaves a host" },
    ];
    expect(fieldFaults({ title: "No", errors }, ["providerToken"]).of.providerToken).toBe(errors[0]?.message);
  });

  it("keeps an error of another kind as it is", () => {
    const error = { title: "The integration exists already", detail: "Registered.", status: 409 };
    expect(fieldFaults(error, FIELDS)).toEqual({ of: {}, rest: error });
  });

  it("keep the faults of no field", () => {
    const errors = [{ pointer: "/other/0", message: "is odd" }];
    expect(fieldFaults({ title: "No", errors }, FIELDS)).toEqual({ of: {}, rest: { title: "No", errors } });
    expect(fieldFaults(undefined, FIELDS)).toEqual({ of: {} });
  });
});

it("builds the webhook address from the kind", () => {
  expect(webhookAddress("https://platform.example", "tempo")).toBe(
    "https://platform.example/api/v3/integrations/tempo/webhook",
  );
});

describe("the text of a backlog", () => {
  it.each([
    [
      { interactive: 2, events: 1_204, background: 30 },
      "2 interactive, 1,204 from events, 30 in the background",
    ],
    [{ interactive: 0, events: 7, background: 0 }, "7 from events"],
    [{ interactive: 0, events: 0, background: 0 }, ""],
  ])("lists what waits, most urgent first: %j", (waiting, text) => {
    expect(waitingText(waiting)).toBe(text);
    expect(totalOf(waiting)).toBe(waiting.interactive + waiting.events + waiting.background);
  });

  it.each([
    [{ inProgress: 0, mail: 0 }, ""],
    [{ inProgress: 1, mail: 0 }, "1 in progress"],
    [{ inProgress: 3, mail: 1_500 }, "3 in progress, 1,500 mails to send"],
  ])("lists what is in progress while nothing waits: %j", (rest, text) => {
    expect(restText(rest)).toBe(text);
  });
});

describe("the list of provider health", () => {
  it("has a filter that is read back from its own address", () => {
    const filter = { health: "token_rejected", state: "suspended" } as const;
    const { searchParams } = new URL(addressWith("/console/health", filter), "http://console.example");
    expect(readFilter(HEALTH_FILTER, Object.fromEntries(searchParams))).toEqual(filter);
    expect(readFilter(HEALTH_FILTER, { health: "soon", state: "" })).toEqual({});
  });
});
