import { CouldNotRun } from "../could-not-run.ts";
import { type Exchange, isReply, type Probe } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { finalAddressOf } from "../judge/judge.ts";
import { messageBefore } from "../judge/success.ts";
import { routingHint } from "../refusal-advice.ts";
import { type Run, wasServed } from "../run.ts";
import { TEST_NUMBERS } from "../test-numbers.ts";
import type { Check } from "./check.ts";

/** Checks that a provider responds, and detects how it expects the organisation (contract 4.1). */
export const reachability: Check = {
  group: "reachability",
  isByTitle: true,
  needs: [],
  gives: ["routing"],
  run: reach,
};

async function* reach(run: Run): AsyncGenerator<Outcome> {
  yield judgeScheme(run.target.options.baseUrl);
  const given = run.forms.routing;
  const routings = given === undefined ? (["path", "header"] as const) : [given];
  const tried = new Map(
    await Promise.all(routings.map(async (each) => [each, await readAll(run, each)] as const)),
  );
  const [[routing, best] = ["path", []] as const] = [...tried].sort(
    ([, one], [, other]) => servedIn(other) - servedIn(one),
  );
  run.target.routing = routing;
  run.forms.routing = routing;
  if (servedIn(best) === 0) assertIsProvider([...tried.values()].flat(), run);
  yield passed("provider", "the provider responds");
}

function judgeScheme(baseUrl: string): Outcome {
  const { protocol, hostname } = new URL(baseUrl);
  const title = "the API is served over HTTPS";
  if (protocol === "https:") return passed("provider", title);
  if (/^(localhost|127\..*|\[::1\])$/.test(hostname)) {
    return skipped("skipped_not_visible", "provider", title, "a local provider is called without TLS");
  }
  return found("https_missing", { title, expected: "https", actual: "http" });
}

/** Reads that need no data. Several of them: an error in one must not hide the provider. */
const READS: readonly Probe[] = [
  { operation: "listOutlets" },
  { operation: "listRoles" },
  { operation: "findCandidates", query: { personalNumber: TEST_NUMBERS[0] ?? "" } },
];

/** Sends all reads without the judge: with the wrong routing every response is wrong. */
async function readAll(run: Run, routing: "path" | "header"): Promise<Exchange[]> {
  const { shiftId } = run.fixtures;
  const shift: Probe[] = shiftId === undefined ? [] : [{ operation: "getShift", path: { shiftId } }];
  return Promise.all([...READS, ...shift].map((probe) => run.target.send({ ...probe, routing })));
}

const servedIn = (exchanges: readonly Exchange[]) =>
  exchanges.filter((each) => wasServed(each) && !isHtml(each)).length;

/** A message of the runtime before the JSON may be in HTML: the judge names it. */
function isHtml(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { text } = exchange.answer;
  return /^\s*</.test(text) && messageBefore(text) === undefined;
}

/** @throws CouldNotRun when there is no response, or none of a provider that can be verified */
function assertIsProvider(exchanges: readonly Exchange[], { target }: Run): void {
  const { baseUrl } = target.options;
  const all = (is: (exchange: Exchange) => boolean) => exchanges.length > 0 && exchanges.every(is);
  const allStatus = (...statuses: number[]) =>
    all((each) => isReply(each) && statuses.includes(each.answer.status));
  const [first] = exchanges;
  if (all(({ answer }) => answer.kind === "broken")) {
    const reason = first?.answer.kind === "broken" ? first.answer.reason : "";
    throw new CouldNotRun(`no response from ${baseUrl} (${reason}): start the provider, or fix the URL`);
  }
  if (all(({ answer }) => answer.kind !== "answer")) {
    throw new CouldNotRun(
      `${baseUrl} does not respond within the time limit: check the provider, or raise --timeout`,
    );
  }
  if (all((each) => isReply(each) && each.answer.status >= 300 && each.answer.status < 400)) {
    const address = first && isReply(first) ? finalAddressOf(first) : undefined;
    const leads = address === undefined ? "" : `, the first one to ${address}`;
    throw new CouldNotRun(`${baseUrl} redirects every call${leads}: use the final address as BASE_URL`);
  }
  if (allStatus(401))
    throw new CouldNotRun(
      "the provider refuses the token (401): use the PROVIDER_TOKEN of this organisation",
    );
  if (allStatus(403)) {
    throw new CouldNotRun(
      "the provider refuses the organisation (403): check that --provider-id and the token belong together",
    );
  }
  if (all((each) => isHtml(each))) {
    throw new CouldNotRun(
      `${baseUrl} returns web pages: use the address of the API, without /providers/{providerId}`,
    );
  }
  if (allStatus(400, 401, 403, 404)) {
    throw new CouldNotRun(
      `${baseUrl} has none of the contract's paths for this organisation (${statuses(exchanges)}): check the URL, without /providers/{providerId}, and --provider-id. ${triedIn(exchanges)}`,
    );
  }
}

/** Returns how the organisation was sent, and the alternative. */
function triedIn(exchanges: readonly Exchange[]): string {
  const hints = [...new Set(exchanges.map(({ sent }) => routingHint(sent)))];
  const [hint = ""] = hints;
  return hints.length === 1 ? hint : "Both routings were tried, path and header; --routing chooses one";
}

const statuses = (exchanges: readonly Exchange[]) =>
  [...new Set(exchanges.map((each) => (isReply(each) ? each.answer.status : "no response")))].join(", ");
