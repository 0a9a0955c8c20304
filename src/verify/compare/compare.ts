import { entryOf } from "../codes/codes.ts";
import type { PactFile, PactInteraction } from "../contracts.ts";
import { type Found, found, type Outcome, type Place, passed } from "../finding.ts";
import { doesOf, formsOfInteraction } from "../interactions.ts";
import { operationOf } from "../pact/interaction.ts";
import { type CompareInteraction, createComparison } from "./comparator.ts";
import { outcomeOf } from "./comparator-findings.ts";
import type { OpenApiDocument } from "./document.ts";
import { type AllowedForms, formsOfDocument, isAllowed } from "./documented-dialect.ts";
import { describedOperations } from "./operations.ts";

/** One interaction, and its findings in the document. */
interface Judged {
  interaction: PactInteraction;
  found: Found[];
}

/** Compares a provider's OpenAPI document with the platform's contract, in the dialect of the document. */
export async function compareDocument(document: OpenApiDocument, contract: PactFile): Promise<Outcome[]> {
  const operations = describedOperations(document);
  const compare = await createComparison(document, operations, contract);
  const forms = formsOfDocument(document, operations);
  const judged: Judged[] = [];
  for (const interaction of contract.interactions) {
    if (!isAllowed(interaction.description, forms)) continue;
    judged.push({ interaction, found: await judge(interaction, compare) });
  }
  const fitting = judged.filter(({ interaction }) =>
    isAllowed(interaction.description, { ...forms, variant: variantsOf(judged) }),
  );
  const groups = Map.groupBy(fitting, ({ interaction }) => doesOf(interaction));
  return [...tenantHeader(document, forms), ...[...groups.values()].flatMap(outcomesOf)];
}

/** Returns the findings for the accepted status with the fewest errors. */
async function judge(interaction: PactInteraction, compare: CompareInteraction): Promise<Found[]> {
  const tries: Found[][] = [];
  for (const status of statusesOf(interaction)) {
    const one = { ...interaction, response: { ...interaction.response, status } };
    const results = await compare(one);
    tries.push(results.flatMap((result) => outcomeOf(result, one) ?? []));
  }
  return nearest(tries, (each) => each) ?? [];
}

function statusesOf({ response }: PactInteraction): readonly number[] {
  const statuses = response?.matchingRules?.status?.$?.matchers[0]?.status;
  return Array.isArray(statuses) ? statuses : [response?.status ?? 200];
}

/** Returns the variants without errors, or else the one with the fewest. */
function variantsOf(judged: readonly Judged[]): string[] {
  const reads = judged.filter(({ interaction }) => doesOf(interaction) === "reads a shift");
  const right = reads.filter((each) => errorsIn(each.found) === 0);
  const best = nearest(reads, (each) => each.found);
  return (right.length > 0 ? right : best ? [best] : []).flatMap(
    ({ interaction }) => formsOfInteraction(interaction.description).variant ?? [],
  );
}

/** Returns the outcomes of the best alternative: the provider needs only one form. */
function outcomesOf(alternatives: readonly Judged[]): Outcome[] {
  const best = nearest(alternatives, (each) => each.found);
  if (!best) return [];
  if (best.found.length > 0) return best.found;
  return [passed(operationOf(best.interaction), doesOf(best.interaction))];
}

function tenantHeader(document: OpenApiDocument, { routing }: AllowedForms): Outcome[] {
  const place: Place = "provider";
  if (routing?.includes("path")) return [passed(place, "the path contains the organisation")];
  const isNamed = /"x-(?:platform-)?provider-id"/i.test(JSON.stringify(document));
  if (isNamed) return [passed(place, "a header contains the organisation")];
  return [
    found("compare_tenant_header_undocumented", {
      expected:
        "/providers/{providerId} before the paths, or the header X-Provider-Id or X-Platform-Provider-Id",
      actual: "neither",
    }),
  ];
}

/** Returns the item with the fewest errors, then the fewest warnings. */
function nearest<T>(all: readonly T[], foundIn: (each: T) => readonly Found[]): T | undefined {
  const weigh = (each: T) => errorsIn(foundIn(each)) * 1_000 + foundIn(each).length;
  return all.reduce<T | undefined>(
    (best, each) => (best === undefined || weigh(each) < weigh(best) ? each : best),
    undefined,
  );
}

function errorsIn(all: readonly Found[]): number {
  return all.filter(({ code }) => entryOf(code).severity === "error").length;
}
