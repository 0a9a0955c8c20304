import { readFile } from "node:fs/promises";
import { valueAt } from "../../runtime/pointer.ts";
import { formsOfInteraction, type PactInteraction } from "../contracts.ts";
import type { OperationId } from "../exchange.ts";
import { isObject } from "../json-object.ts";
import { packageFile } from "../package-files.ts";
import { operationOf } from "../pact/interaction.ts";
import type { CompareInteraction, Result } from "./comparator.ts";

/** The contract's example of a complete response, by operation. */
const EXAMPLES: Readonly<Partial<Record<OperationId | "provider", string>>> = {
  getShift: "shift-variant-",
  updateShift: "shift-variant-",
  createCandidate: "candidate",
  findCandidates: "candidate",
  getCandidateRegistry: "candidate-registry",
  listOutlets: "outlet",
};

/** An omitted field: the comparator closes every schema of a response. */
const OMITTED = [" must NOT have additional properties - ", " must NOT have unevaluated properties - "];
const omittedBy = (message: string): string | undefined =>
  OMITTED.map((words) => message.split(words)[1]).find((name) => name !== undefined);

/** The names of the number of positions; either is enough (decisions, "number of positions"). */
export const POSITIONS: readonly string[] = ["slots", "numberOfPositions"];

/** A field that the contract's pact does not read, with a value that the contract allows. */
interface OptionalField {
  /** JSON pointer in the body. */
  pointer: string;
  value: unknown;
}

export interface OptionalDifferences {
  /** For fields that the document describes with another type. */
  wrong: readonly Result[];
  /** Fields that the document does not describe. */
  omitted: readonly string[];
  /** How many of the fields these are, from 0 to 1. */
  omittedShare: number;
}

const NO_DIFFERENCE: OptionalDifferences = { wrong: [], omitted: [], omittedShare: 0 };

export function omittedIn(results: readonly Result[]): string[] {
  const omitted = results.flatMap(({ message, mockDetails }) => {
    const name = omittedBy(message);
    return name === undefined ? [] : `${mockDetails?.location}.${name}`;
  });
  return [...new Set(omitted)];
}

/**
 * Compares the optional fields of a response: together, and each alone unless the document describes all of them, because with a
 * `oneOf` an omitted field hides the wrong type of another.
 */
export async function compareOptionalFields(
  interaction: PactInteraction,
  compare: CompareInteraction,
): Promise<OptionalDifferences> {
  const fields = await optionalFieldsOf(interaction);
  if (fields.length === 0) return NO_DIFFERENCE;
  const known = new Set((await compare(interaction)).map(keyOf));
  const compareWith = async (chosen: readonly OptionalField[]) =>
    (await compare(withFields(interaction, chosen))).filter((result) => !known.has(keyOf(result)));
  if ((await compareWith(fields)).length === 0) return NO_DIFFERENCE;

  const [wrong, omitted]: [Result[], string[]] = [[], []];
  for (const field of [...fields, ...fields.flatMap(otherPositions)]) {
    const results = await compareWith([field]);
    const own = wrongIn(results, field);
    wrong.push(...own);
    if (results.length > 0 && own.length === 0) omitted.push(nameOf(field));
  }
  return { wrong, omitted, omittedShare: omitted.length / fields.length };
}

function otherPositions({ pointer, value }: OptionalField): OptionalField[] {
  const other = POSITIONS.find((name) => name !== pointer.slice(1));
  return other !== undefined && POSITIONS.includes(pointer.slice(1)) ? [{ pointer: `/${other}`, value }] : [];
}

/** Returns the results that are about the field itself, and none if the document merely omits it or a part of it. */
function wrongIn(results: readonly Result[], { pointer }: OptionalField): readonly Result[] {
  const place = `response.body${pointer.replaceAll("/", ".")}.`;
  const own = results.filter(
    ({ message, mockDetails }) =>
      omittedBy(message) === undefined && `${mockDetails?.location}.`.includes(place),
  );
  return own.length > 0 || omittedIn(results).length > 0 ? own : results;
}

const keyOf = ({ code, message, mockDetails }: Result) => `${code} ${message} ${mockDetails?.location}`;

const nameOf = ({ pointer }: OptionalField) =>
  pointer
    .slice(1)
    .replaceAll(/(?:^|\/)0\//g, "/")
    .replaceAll("/", ".")
    .replace(/^\./, "");

async function optionalFieldsOf(interaction: PactInteraction): Promise<OptionalField[]> {
  const content = interaction.response?.body?.content;
  const name = EXAMPLES[operationOf(interaction)];
  if (content === undefined || name === undefined) return [];
  const { variant = "" } = formsOfInteraction(interaction.description);
  const file = packageFile(`spec/examples/${name}${name.endsWith("-") ? variant : ""}.json`);
  const example: unknown = JSON.parse(await readFile(file, "utf8"));
  return [...missingIn(content, Array.isArray(content) ? [example] : example)];
}

function* missingIn(content: unknown, example: unknown, pointer = ""): Generator<OptionalField> {
  if (Array.isArray(content) && Array.isArray(example)) {
    yield* missingIn(content[0], example[0], `${pointer}/0`);
  }
  if (!isObject(content) || !isObject(example)) return;
  for (const [name, value] of Object.entries(example)) {
    if (name in content) yield* missingIn(content[name], value, `${pointer}/${name}`);
    // A document need not allow null where the provider never sends it.
    else yield { pointer: `${pointer}/${name}`, value: value ?? "text" };
  }
}

function withFields(interaction: PactInteraction, fields: readonly OptionalField[]): PactInteraction {
  const copy = structuredClone(interaction);
  for (const { pointer, value } of fields) {
    const end = pointer.lastIndexOf("/");
    const parent = valueAt(copy.response?.body?.content, pointer.slice(0, end));
    if (isObject(parent)) parent[pointer.slice(end + 1)] = value;
  }
  return copy;
}
