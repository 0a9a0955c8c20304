import { entryOf } from "../codes/codes.ts";
import { doesOf, formsOfInteraction, type PactFile, type PactInteraction } from "../contracts.ts";
import { type Found, found, type Outcome, type Place, passed } from "../finding.ts";
import { operationOf } from "../pact/interaction.ts";
import { statusesOf } from "../pact/mismatches.ts";
import { type CompareInteraction, createComparison } from "./comparator.ts";
import { omissions, outcomeOf } from "./comparator-findings.ts";
import type { OpenApiDocument } from "./document.ts";
import { type AllowedForms, describedOperations, formsOfDocument, isAllowed } from "./operations.ts";
import { compareOptionalFields, omittedIn } from "./optional-fields.ts";

interface Judged {
  interaction: PactInteraction;
  found: readonly Found[];
  /** How many required fields of the response the document omits, and which share of the optional ones. */
  omitted: { required: number; optionalShare: number };
}

/** Compares a provider's OpenAPI document with the platform's contract, in the dialect of the document. */
export async function compareDocument(document: OpenApiDocument, contract: PactFile): Promise<Outcome[]> {
  const operations = describedOperations(document);
  const compare = await createComparison(document, operations, contract);
  const forms = formsOfDocument(document, operations);
  const judged: Judged[] = [];
  for (const interaction of contract.interactions) {
    if (!isAllowed(interaction.description, forms)) continue;
    judged.push(await judge(interaction, compare));
  }
  const fitting = judged.filter(({ interaction }) =>
    isAllowed(interaction.description, { ...forms, variant: variantsOf(judged) }),
  );
  const actions = Map.groupBy(fitting, ({ interaction }) => doesOf(interaction));
  return [...tenantHeader(document, forms), ...[...actions.values()].flatMap(outcomesOf)];
}

/** Returns the findings for the accepted status with the fewest errors. */
async function judge(interaction: PactInteraction, compare: CompareInteraction): Promise<Judged> {
  const tries: Judged[] = [];
  for (const status of statusesOf(interaction.response ?? { status: 200 })) {
    const one = { ...interaction, response: { ...interaction.response, status } };
    const results = await compare(one);
    const optional = await compareOptionalFields(one, compare);
    tries.push({
      interaction,
      found: [
        ...[...results, ...optional.wrong].flatMap((result) => outcomeOf(result, one) ?? []),
        ...omissions(optional.omitted, one),
      ],
      omitted: { required: omittedIn(results).length, optionalShare: optional.omittedShare },
    });
  }
  return nearest(tries, weightOf) as Judged;
}

/**
 * Returns the variants that the document describes: with the fewest required fields omitted, and half of the optional ones. A field with
 * a wrong type is described, so that an integer id does not make it a document of the other variant.
 */
function variantsOf(judged: readonly Judged[]): string[] {
  const reads = judged.filter(({ interaction }) => doesOf(interaction) === "reads a shift");
  const weight = ({ omitted }: Judged) => omitted.required * 1_000 + omitted.optionalShare;
  const best = nearest(reads, weight);
  const isAsNear = ({ omitted }: Judged) =>
    omitted.required === best?.omitted.required && omitted.optionalShare <= 0.5;
  return reads
    .filter((each) => each === best || isAsNear(each))
    .flatMap(({ interaction }) => formsOfInteraction(interaction.description).variant ?? []);
}

/** Returns the outcomes of every variant, as the provider may send each, and otherwise of the best alternative. */
function outcomesOf(alternatives: readonly Judged[]): Outcome[] {
  const areVariants = alternatives.every(
    ({ interaction }) => "variant" in formsOfInteraction(interaction.description),
  );
  const chosen = areVariants ? alternatives : [nearest(alternatives, weightOf)];
  const all = chosen.flatMap((each) => each?.found ?? []);
  const [first] = alternatives;
  if (all.length > 0 || !first) return all;
  return [passed(operationOf(first.interaction), doesOf(first.interaction))];
}

function tenantHeader(document: OpenApiDocument, { routing }: AllowedForms): Outcome[] {
  const place: Place = "provider";
  if (routing?.includes("path")) return [passed(place, "the path contains the organisation")];
  const isNamed = /"x-(?:platform-)?provider-id"/i.test(JSON.stringify(document));
  if (isNamed) return [passed(place, "a header contains the organisation")];
  const expected =
    "/providers/{providerId} before the paths, or the header X-Provider-Id or X-Platform-Provider-Id";
  return [found("compare_tenant_header_undocumented", { expected, actual: "neither" })];
}

function nearest<T>(all: readonly T[], weight: (each: T) => number): T | undefined {
  return all.toSorted((left, right) => weight(left) - weight(right))[0];
}

/** Sorts by errors, then by warnings. */
const weightOf = ({ found }: Judged): number =>
  found.filter(({ code }) => entryOf(code).severity === "error").length * 1_000 + found.length;
