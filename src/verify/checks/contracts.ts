import { noteCancelled, secondShiftOf, secondShiftUse } from "../cancellable-shift.ts";
import {
  doesOf,
  formsOfInteraction,
  type KnownForms,
  type PactInteraction,
  readContract,
  selectInteractions,
} from "../contracts.ts";
import { type Exchange, isPlain, isReply, type OperationId, type Reply } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { operationOf, requestOf } from "../pact/interaction.ts";
import { mismatchesOf, mismatchTexts } from "../pact/mismatches.ts";
import { prepareState } from "../pact/provider-state.ts";
import { changedShifts, restore } from "../restore.ts";
import type { Run } from "../run.ts";
import { isTaken, NUMBERS_USED_UP, personOf, secondOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";

const PEOPLE = ["no such candidate", "a candidate exists"];
const isOnShift = ({ state, operation }: Kind) => state === "a shift exists" && operation !== "cancelShift";

/**
 * Replays the platform's contract for the provider's forms. Interactions run concurrently, except those of
 * one shift, and those that others depend on.
 */
export const contracts: readonly Check[] = [
  sequence({
    needs: [],
    isOf: ({ state }) => state === undefined || state === "an organisation" || state === "no such shift",
  }),
  sequence({
    needs: ["unknownCandidate", "known", "number", "registry", "person", "second"],
    holds: { people: "adds" },
    isOf: ({ state }) => PEOPLE.includes(state ?? ""),
  }),
  sequence({
    needs: ["shift", "update", "person", "second", "assign", "cancellable"],
    gives: ["used"],
    holds: secondShiftUse,
    isOf: (its) => isOnShift(its) && !("full" in its.forms),
  }),
  sequence({
    needs: ["shift", "update", "person", "second", "assign", "cancellable", "full"],
    gives: ["used"],
    holds: secondShiftUse,
    isOf: (its) => isOnShift(its) && "full" in its.forms,
  }),
  sequence({
    needs: ["shift", "cancellable", "used", "deleted"],
    holds: { cancellable: "changes" },
    isOf: ({ state, operation }) =>
      operation === "cancelShift" ? state === "a shift exists" : state === "a shift was deleted",
  }),
  {
    group: "contracts",
    needs: ["shift", "unknownCandidate", "registry", "update", "assign", "number", "full", "deleted"],
    run: skipUndetected,
  },
];

interface Kind {
  state: string | undefined;
  operation: OperationId | "provider";
  forms: KnownForms;
}

function kindOf(interaction: PactInteraction): Kind {
  const [state] = interaction.providerStates ?? [];
  const forms = formsOfInteraction(interaction.description);
  return { state: state?.name, operation: operationOf(interaction), forms };
}

type Sequence = Pick<Check, "needs" | "gives" | "holds"> & { isOf: (kind: Kind) => boolean };

function sequence({ isOf, ...plan }: Sequence): Check {
  return { group: "contracts", isByTitle: true, ...plan, run: (run) => replaySequence(run, isOf) };
}

async function* replaySequence(run: Run, isOf: Sequence["isOf"]): AsyncGenerator<Outcome> {
  const contract = selectInteractions(await readContract("provider"), run.forms);
  const interactions = contract.interactions.filter((each) => isOf(kindOf(each)));
  const areOnShift = interactions.some((each) => isOnShift(kindOf(each)));
  const [first, others] = [interactions.filter(isFirst), interactions.filter((each) => !isFirst(each))];
  try {
    for (const interaction of first) yield await replay(run, interaction);
    // A provider state may undo another one, and so may a change of the shift.
    if (areOnShift || run.statesUrl !== undefined) {
      for (const interaction of others) yield await replay(run, interaction);
    } else yield* await Promise.all(others.map((interaction) => replay(run, interaction)));
  } finally {
    const second = areOnShift ? secondShiftOf(run) : undefined;
    const changed = changedShifts(run).find(({ shiftId }) => shiftId === second);
    if (changed) await restore(run, changed);
  }
}

async function* skipUndetected({ forms }: Run): AsyncGenerator<Outcome> {
  const { interactions } = await readContract("provider");
  const named = new Set(
    interactions.flatMap(({ description }) => Object.keys(formsOfInteraction(description))),
  );
  for (const form of [...named].sort()) {
    if (form in forms) continue;
    const reason = "the form that the provider uses was not detected";
    yield skipped("skipped_not_prepared", "provider", `interactions that depend on the form ${form}`, reason);
  }
}

/** Whether a provider state or a shift must be as no other interaction has left it. */
const isFirst = (interaction: PactInteraction) =>
  kindOf(interaction).operation === "cancelShift" || isNewCandidate(interaction);

async function replay(run: Run, interaction: PactInteraction): Promise<Outcome> {
  const { description, request } = interaction;
  const operation = operationOf(interaction);
  if (!run.mayChange && request?.method !== "GET") {
    return skipped("skipped_read_only", operation, description, "--read-only");
  }
  if (run.statesUrl === undefined && isNewCandidate(interaction)) return replayCreation(run, interaction);
  const prepared = await prepareState(run, interaction);
  if ("missing" in prepared) return skipped("skipped_not_prepared", operation, description, prepared.missing);
  const probe = requestOf(interaction, prepared.values);
  if (!probe) throw new TypeError(`"${description}" calls no operation of the contract`);
  const exchange = await run.send(probe);
  if (isPlain(exchange) && exchange.answer.status < 300) noteCancelled(run, exchange);
  return judged(interaction, exchange);
}

function isNewCandidate(interaction: PactInteraction): boolean {
  const { state, operation } = kindOf(interaction);
  return operation === "createCandidate" && state === "no such candidate";
}

/** Judges the creation of a test candidate: another one would stay at the provider in each run. */
async function replayCreation(run: Run, interaction: PactInteraction): Promise<Outcome> {
  const { description, request } = interaction;
  const content = request?.body?.content;
  const isHire = isObject(content) && "bankDetails" in content;
  const { creation, isReused, lookups, number } = await (isHire ? secondOf(run) : personOf(run));
  if (creation && !isReused && !isTaken(lookups, number)) return judged(interaction, creation);
  const reason = isHire ? NUMBERS_USED_UP : "an earlier run created the test candidate of a booking";
  return skipped("skipped_not_prepared", "createCandidate", description, reason);
}

function judged(interaction: PactInteraction, exchange: Exchange): Outcome {
  const { description, response } = interaction;
  const operation = operationOf(interaction);
  const mismatches = response && isReply(exchange) ? mismatchesOf(response, exchange.answer) : undefined;
  if (mismatches?.length === 0) return passed(operation, description);
  if (!mismatches || !isPlain(exchange)) {
    const reason = "no response to compare: see the other findings of this operation";
    return skipped("skipped_after_failure", operation, description, reason);
  }
  const leeway = leewayOf(interaction, exchange);
  if (leeway !== undefined) return skipped("skipped_not_offered", operation, description, leeway);
  const texts = mismatchTexts(doesOf(interaction), mismatches);
  return found("contract_broken", { operation, title: description, exchange, ...texts });
}

/** Returns why the contract allows a difference from the narrower Pact interaction, or undefined. */
function leewayOf({ response }: PactInteraction, { answer, probe }: Reply): string | undefined {
  const { status, json } = answer;
  const isRefusal = status >= 400 && status !== 401;
  if (isRefusal && (response?.status ?? 0) >= 400) {
    return `it is refused as required, with ${status}: the contract does not specify the status`;
  }
  if (probe.operation === "getCandidateRegistry") {
    if (isRefusal) return `it is optional, and the contract does not specify its paging (status ${status})`;
    return isEmpty((json as { candidates?: unknown } | null)?.candidates) ? NOTHING : undefined;
  }
  const isList = probe.operation === "listOutlets" || probe.operation === "listRoles";
  return isList && isEmpty(json) ? NOTHING : undefined;
}

const NOTHING = "there is nothing to list";

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;
