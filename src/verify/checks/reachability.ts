import { CouldNotRun } from "../connection-errors.ts";
import { type Exchange, isPlain, isReply, type Probe } from "../exchange.ts";
import { found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { finalAddressOf } from "../judge/judge.ts";
import { messageBefore } from "../judge/success.ts";
import { routeOf, routingHint } from "../refusal-advice.ts";
import { type Run, sendOnce, wasServed } from "../run.ts";
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
  if (servedIn(best) === 0) {
    for (const each of routings) await assertNoSlash(run, each);
    assertIsProvider([...tried.values()].flat(), run);
  }
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

/** @throws CouldNotRun when only a path with a slash at its end is served */
async function assertNoSlash(run: Run, routing: "path" | "header"): Promise<void> {
  const operation = "listOutlets";
  const exchange = await run.target.send({ operation, rawPath: "/outlets/", routing });
  if (servedIn([exchange]) === 0) return;
  const served = `${run.target.options.baseUrl} serves paths only with a slash at their end`;
  throw new CouldNotRun(`${served}: serve ${routeOf(operation, exchange.sent)}, as the platform calls it`);
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
  const allStatus = (is: (status: number) => boolean) =>
    all((each) => isReply(each) && is(each.answer.status));
  const [first] = exchanges;
  const reason = first?.answer.kind === "broken" ? first.answer.reason : "";
  const address = first && isReply(first) ? finalAddressOf(first) : undefined;
  const leads = address === undefined ? "" : `, the first one to ${address}`;
  const why = [
    [
      all(({ answer }) => answer.kind === "broken"),
      `no response from ${baseUrl} (${reason}): start the provider, or fix the URL`,
    ],
    [
      all(({ answer }) => answer.kind !== "answer"),
      `${baseUrl} does not respond within the time limit: check the provider, or raise --timeout`,
    ],
    [
      allStatus((status) => status >= 300 && status < 400),
      `${baseUrl} redirects every call${leads}: use the final address as BASE_URL`,
    ],
    [
      allStatus((status) => status === 401),
      "the provider refuses the token (401): use the PROVIDER_TOKEN of this organisation",
    ],
    [
      allStatus((status) => status === 403),
      "the provider refuses the organisation (403): check that --provider-id and the token belong together",
    ],
    [
      all(isHtml),
      `${baseUrl} returns web pages: use the address of the API, without /providers/{providerId}`,
    ],
    [
      allStatus((status) => [400, 401, 403, 404].includes(status)),
      `${baseUrl} has none of the contract's paths for this organisation (${statuses(exchanges)}): check the URL, without /providers/{providerId}, and --provider-id. ${triedIn(exchanges)}`,
    ],
  ] as const;
  const [, message] = why.find(([is]) => is) ?? [];
  if (message !== undefined) throw new CouldNotRun(message);
}

/** Returns how the organisation was sent, and the alternative. */
function triedIn(exchanges: readonly Exchange[]): string {
  const [hint = "", ...more] = new Set(exchanges.map(({ sent }) => routingHint(sent)));
  return more.length === 0 ? hint : "Both routings were tried, path and header; --routing chooses one";
}

const statuses = (exchanges: readonly Exchange[]) =>
  [...new Set(exchanges.map((each) => (isReply(each) ? each.answer.status : "no response")))].join(", ");

/** The outlet and role of a shift are listed, because they are mapped before activation (contract 1, 2.6, 2.7). */
export const organisation: Check = { group: "answers", needs: ["shift"], run: check };

const LISTS = [
  { operation: "listOutlets", field: "outletId", unknown: "outlet_unknown", thing: "outlet" },
  { operation: "listRoles", field: "roleId", unknown: "role_unknown", thing: "role" },
] as const;

type List = (typeof LISTS)[number];

async function* check(run: Run): AsyncGenerator<Outcome> {
  const exchanges = await Promise.all(LISTS.map(({ operation }) => sendOnce(run, { operation })));
  for (const [index, list] of LISTS.entries()) {
    const exchange = exchanges[index];
    if (exchange) yield judgeList(list, exchange, idsOf(exchange), run.known.shift?.[list.field]);
  }
}

function idsOf(exchange: Exchange): Set<string> | undefined {
  if (!isPlain(exchange) || exchange.answer.status !== 200 || !Array.isArray(exchange.answer.json))
    return undefined;
  return new Set(exchange.answer.json.map((entry) => String(entry?.id)));
}

function judgeList(
  { operation, unknown, thing }: List,
  exchange: Exchange,
  ids: ReadonlySet<string> | undefined,
  named: string | undefined,
): Outcome {
  const title = `the shift's ${thing} is listed`;
  if (isPlain(exchange) && exchange.answer.status >= 400) {
    return refused(exchange, `200 with the ${thing}s`);
  }
  if (!ids) return skipped("skipped_after_failure", operation, title, `the ${thing}s cannot be read`);
  if (named === undefined) {
    const reason = "no readable shift: provide --fixtures with a shiftId";
    return skipped("skipped_not_prepared", operation, title, reason);
  }
  if (ids.has(named)) return passed(operation, title);
  return found(unknown, { exchange, expected: `the ${thing} of the shift`, actual: "not listed" });
}
