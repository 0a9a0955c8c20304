import { describe, expect, it } from "vitest";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { dialects, hyphenatedOnly } from "./dialects.ts";
import { type Call, codesOf, type Faults, run } from "./faulty-provider.ts";
import { type Body, instead, refusal, spoil, turns } from "./spoil.ts";

const options = { only: ["registry"] } satisfies Partial<VerifyOptions>;

describe("the registry of a correct provider", () => {
  it.each(dialects)("has no finding: %s", async (_, dialect) => {
    const { verification } = await run({ dialect, options });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
  });

  it("has no finding when only the hyphenated number finds candidates", async () => {
    const { verification } = await run({ dialect: hyphenatedOnly, options });
    expect([...codesOf(verification), ...codesOf(verification, "warning")]).toEqual([]);
  });

  it.each(["404", "405", "501"])("may be absent: %s", async (status) => {
    const faults = instead("getCandidateRegistry", refusal(Number(status)));
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_offered getCandidateRegistry");
  });

  it("may ignore limit and cursor", async () => {
    const { verification } = await run({ faults: everybodyAtOnce(), options });
    expect([...codesOf(verification), ...codesOf(verification, "warning")]).toEqual([]);
  });

  it("may be empty", async () => {
    const faults = spoil("getCandidateRegistry", () => ({ candidates: [] }));
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_prepared getCandidateRegistry");
  });
});

describe("a violation in the registry is reported:", () => {
  const cases: readonly (readonly [string, Faults, string])[] = [
    [
      "a repeated cursor",
      ofPages((body) => ({ ...body, nextCursor: "more" }), everybodyAtOnce()),
      "registry_loops getCandidateRegistry",
    ],
    ["the same page with a new cursor each time", endless(), "registry_loops getCandidateRegistry"],
    ["a page that omits people", ofPages(withoutTheFirst), "registry_incomplete getCandidateRegistry"],
    ["different ids than in lookups", ofPages(withOtherIds), "registry_unmatched getCandidateRegistry"],
    ["people who are not found", ofPages(withStrangers), "registry_unmatched getCandidateRegistry"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([expected]);
  });
});

/** Returns all people: a provider may ignore the query. */
function everybodyAtOnce(): Faults {
  return instead("getCandidateRegistry", (call) => {
    call.url = call.url.replace(/\?.*$/, "");
    return undefined;
  });
}

function ofPages(change: (body: Body, sent: Call) => unknown, more: Faults = {}): Faults {
  return { ...more, ...spoil("getCandidateRegistry", change) };
}

function endless(): Faults {
  const turn = turns();
  return ofPages((body) => ({ ...body, nextCursor: `page ${turn()}` }), everybodyAtOnce());
}

const entriesOf = ({ candidates }: Body) => candidates as readonly Body[];

/** Changes pages, but not the whole registry. */
function withoutTheFirst(body: Body, { url }: Call): Body {
  return url.includes("limit") ? { ...body, candidates: entriesOf(body).slice(1) } : body;
}

function withOtherIds(body: Body): Body {
  return { ...body, candidates: entriesOf(body).map((entry) => ({ ...entry, id: `other ${entry.id}` })) };
}

const STRANGERS = ["189009159816", "189009269805", "189202299815"];

function withStrangers(body: Body): Body {
  const candidates = STRANGERS.map((personalNumber) => ({
    ...entriesOf(body)[0],
    id: personalNumber,
    personalNumber,
  }));
  return { candidates };
}
