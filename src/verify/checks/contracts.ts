import { type PactFile, type PactInteraction, readContract } from "../contracts.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { doesOf, formsOfInteraction, selectInteractions } from "../interactions.ts";
import { type Cast, castOf } from "../pact/cast.ts";
import { type Gate, openGate } from "../pact/gate.ts";
import { prepareState } from "../pact/given.ts";
import { operationOf } from "../pact/interaction.ts";
import type { Replayer } from "../pact/replayer.ts";
import { CannotReplay, type Mismatch, wordsOf } from "../pact/verdict.ts";
import { createdId } from "../person.ts";
import { restore } from "../restore.ts";
import type { Run } from "../run.ts";
import { type Exchange, isPlain, type Reply } from "../target.ts";
import type { Check } from "./check.ts";

/** The platform's own contract, replayed as far as it fits the provider's forms. */
export const contracts: Check = { group: "contracts", isByTitle: true, run: replayContract };

interface Stage {
  run: Run;
  contract: PactFile;
  gate: Gate;
  replayer: Replayer;
  cast: Cast;
}

async function* replayContract(run: Run): AsyncGenerator<Outcome> {
  if (!run.replayer) return;
  const whole = await readContract("provider");
  const contract = selectInteractions(whole, run.forms);
  yield* notFoundOut(whole, run);
  const stage = { run, contract, replayer: run.replayer, cast: castOf(run), gate: await openGate(run) };
  try {
    for (const interaction of inOrder(contract.interactions)) yield await replay(stage, interaction);
  } catch (error) {
    if (!(error instanceof CannotReplay)) throw error;
    const title = "the replay of the platform's contract";
    yield skipped("skipped_not_prepared", "provider", title, error.message);
  } finally {
    await stage.gate.close();
    await stage.cast.leave();
    await restore(run);
  }
}

/** Interactions whose forms could not be found out are for this provider or not: nobody knows. */
function* notFoundOut({ interactions }: PactFile, { forms }: Run): Generator<Outcome> {
  const named = new Set(
    interactions.flatMap(({ description }) => Object.keys(formsOfInteraction(description))),
  );
  for (const form of [...named].sort()) {
    if (form in forms) continue;
    const reason = "which form the provider has was not found out";
    yield skipped("skipped_not_prepared", "provider", `interactions that depend on the form ${form}`, reason);
  }
}

/** Those that create somebody first: whom they create need not be created again for the others. */
function inOrder(interactions: readonly PactInteraction[]): PactInteraction[] {
  const creates = (each: PactInteraction) =>
    each.providerStates?.[0]?.name === "no such candidate" && isPost(each);
  return [...interactions.filter(creates), ...interactions.filter((each) => !creates(each))];
}

const isPost = ({ request }: PactInteraction) => request?.method === "POST";

async function replay(stage: Stage, interaction: PactInteraction): Promise<Outcome> {
  const { run, gate, replayer, cast, contract } = stage;
  const { description, request, providerStates = [] } = interaction;
  const operation = operationOf(interaction);
  if (!run.mayChange && request?.method !== "GET") {
    return skipped("skipped_read_only", operation, description, "--read-only");
  }
  const prepared = await prepareState(run, cast, interaction);
  if ("missing" in prepared) return skipped("skipped_not_prepared", operation, description, prepared.missing);
  const states = Object.fromEntries(providerStates.map(({ name }) => [name, () => prepared.values]));
  const one = { ...contract, interactions: [interaction] };
  const { broken } = await replayer.replay({ contracts: [one], baseUrl: gate.url, states });
  const exchange = gate.taken().at(-1);
  remember(stage, exchange);
  return judged(interaction, exchange, broken[description]);
}

function remember({ cast, run }: Stage, exchange: Exchange | undefined): void {
  if (!exchange || !isPlain(exchange) || exchange.answer.status >= 300) return;
  const { operation, path } = exchange.probe;
  const candidateId = operation === "createCandidate" ? createdId(exchange) : undefined;
  if (candidateId !== undefined) cast.remember(candidateId);
  if (operation === "cancelShift" && path?.shiftId === run.fixtures.cancellableShiftId)
    run.known.cancelled = true;
}

function judged(
  interaction: PactInteraction,
  exchange: Exchange | undefined,
  mismatches: readonly Mismatch[] | undefined,
): Outcome {
  const { description } = interaction;
  const operation = operationOf(interaction);
  if (mismatches === undefined) return passed(operation, description);
  if (!exchange || !isPlain(exchange)) {
    const reason =
      "the provider gave no answer that can be compared: see the other findings of this operation";
    return skipped("skipped_after_failure", operation, description, reason);
  }
  const leeway = leewayOf(interaction, exchange);
  if (leeway !== undefined) return skipped("skipped_not_offered", operation, description, leeway);
  const words = wordsOf(doesOf(interaction), mismatches);
  return found("contract_broken", { operation, title: description, exchange, ...words });
}

/** What CONTRACT.md leaves to the provider although the platform's contract is narrower; undefined when nothing of that is so. */
function leewayOf({ response }: PactInteraction, { answer, probe }: Reply): string | undefined {
  const { status, json } = answer;
  const isRefusal = status >= 400 && status !== 401;
  if (isRefusal && (response?.status ?? 0) >= 400) {
    return `it is refused as it should be, with ${status}: which status says so is not shown`;
  }
  if (probe.operation === "getCandidateRegistry") {
    if (isRefusal) return `it is optional, and how it is paged is not shown (status ${status})`;
    return isEmpty((json as { candidates?: unknown } | null)?.candidates) ? NOTHING : undefined;
  }
  const isList = probe.operation === "listOutlets" || probe.operation === "listRoles";
  return isList && isEmpty(json) ? NOTHING : undefined;
}

const NOTHING = "there is nothing to list";

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;
