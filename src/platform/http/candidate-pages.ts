import type { ErrorRequestHandler, Express, Request, RequestHandler } from "express";
import express from "express";
import { createRouter, type Handlers } from "../../../generated/candidate/server.ts";
import type { Language } from "../../../generated/operations/types.ts";
import { calendarText } from "../../contract/candidate-text/mail.ts";
import { type NoticeCode, PAGE_TEXT } from "../../contract/candidate-text/page-words.ts";
import type { OperationInfo } from "../../runtime/operation.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { AddressLimit } from "../access/address-limit.ts";
import type { Deps, LinkPurpose, LinkTarget } from "../deps.ts";
import { answerShift, disown } from "../links/answer.ts";
import { type LinkedShift, noteOpened, readLinkedShift } from "../links/shift.ts";
import {
  type LinkedPerson,
  type LinkedShifts,
  type ListedShift,
  readLinkedPerson,
  readLinkedShifts,
  subscribe,
} from "../links/shifts.ts";
import { calendarFeed } from "../notifications/calendar.ts";
import { limitedBy } from "./authenticate.ts";
import { CANDIDATE_POLICY, listPage, noticePage, shiftPage, subscriptionPage } from "./candidate-page.ts";
import { asProblem } from "./errors.ts";

/** A link is a secret in a path: neither caches, indexes nor other sites may get it. */
const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": CANDIDATE_POLICY,
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex, nofollow",
};

/** The pages for candidates, below `/c`. `unknown` counts the links that are not valid. */
export function candidatePages(deps: Deps, unknown: AddressLimit): Express {
  const pages = express();
  pages.disable("x-powered-by");
  pages.disable("etag");
  const opened = openingsOf(deps, unknown);
  const router = createRouter<undefined>({
    handlers: handlersOf(deps, opened),
    admit: admitting(deps, opened),
    authenticate: () => undefined,
  });
  return pages.use("/c", withHeaders).use(router).use("/c", failurePage(deps));
}

const withHeaders: RequestHandler = (_request, response, next) => {
  response.set(HEADERS);
  next();
};

/** A candidate reads a page, and no problem document, when the platform has failed. */
function failurePage({ log, language }: Deps): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent || error instanceof ProblemError || error instanceof URIError)
      return next(error);
    const { status, headers } = asProblem(error, log);
    response
      .status(status)
      .set(headers)
      .type("html")
      .send(noticePage("failed", chosen(request.query.language) ?? language));
  };
}

type Query = { language?: string; ask?: string };
type Status = 403 | 404 | 409 | 410 | 429;
type Openings = ReturnType<typeof openingsOf>;

const notices =
  ({ language }: Deps) =>
  <Code extends Status>(status: Code, code: NoticeCode, query: Query, own = language) =>
    ({ status, body: noticePage(code, chosen(query.language) ?? own) }) as const;

/** What stands after a link in a sentence or in brackets, and mail programs take for a part of it. */
const AFTER_LINK = /[.,;:!?)>\]}'"]{1,3}$/;

/** Opens the link of a request, before its body is read. */
function openingsOf(deps: Deps, unknown: AddressLimit) {
  const notice = notices(deps);
  const opening = <Linked extends object>(
    purpose: LinkPurpose,
    read: (deps: Deps, target: LinkTarget) => Promise<Linked | undefined>,
  ) => {
    const opened = new WeakMap<Request, Linked>();
    return {
      /** Returns the page that is shown instead, unless the link is valid. */
      open: async (raw: Request, query: Query) => {
        const target = deps.linkTokens.read(purpose, String(raw.params.token).replace(AFTER_LINK, ""));
        if (!target)
          return (await isLimited(unknown, raw))
            ? notice(429, "too_many", query)
            : notice(404, "unknown", query);
        const linked = await read(deps, target);
        if (!linked) return notice(410, "ended", query);
        opened.set(raw, linked);
        return undefined;
      },
      /** Returns what the link leads to. */
      of: (raw: Request): Linked => {
        const linked = opened.get(raw);
        if (!linked) throw new Error("the link of this request is not open");
        return linked;
      },
    };
  };
  return {
    shift: opening("shift", readLinkedShift),
    list: opening("shifts", readLinkedShifts),
    person: opening("shifts", readLinkedPerson),
    subscriber: opening("unsubscribe", readLinkedPerson),
    calendar: opening("calendar", readLinkedShifts),
  };
}

/** Programs for mail send the form of `unsubscribe` from other sites. */
const OWN_FORMS: readonly string[] = ["answerShift", "answerList"];

function admitting(deps: Deps, { shift, list, person, subscriber, calendar }: Openings) {
  const openings: Readonly<Record<string, Pick<typeof shift, "open">>> = {
    showShift: shift,
    answerShift: shift,
    listShifts: list,
    answerList: person,
    showSubscription: subscriber,
    unsubscribe: subscriber,
    readCalendar: calendar,
  } satisfies Record<keyof Handlers<undefined>, unknown>;
  return (raw: Request, { operationId }: OperationInfo) => {
    const { query } = raw;
    if (OWN_FORMS.includes(operationId) && isFromOtherSite(raw, deps.publicUrl))
      return notices(deps)(403, "other_site", query);
    return openings[operationId]?.open(raw, query);
  };
}

function handlersOf(deps: Deps, opened: Openings): Handlers<undefined> {
  const { shift, list, person, subscriber, calendar } = opened;
  const notice = notices(deps);
  const page = (shown: LinkedShift, query: Query) =>
    shiftPage(shown, chosen(query.language) ?? shown.language, { ask: query.ask });
  const subscription = (shown: LinkedPerson, query: Query) =>
    ({ status: 200, body: subscriptionPage(shown, chosen(query.language) ?? shown.language) }) as const;
  return {
    showShift: async ({ query, raw }) => {
      const shown = shift.of(raw);
      if (raw.method === "GET") await noteOpened(deps, shown);
      return { status: 200, body: page(shown, query) };
    },
    answerShift: async ({ query, body, raw }) => {
      const shown = shift.of(raw);
      const refusal = await answerShift(deps, shown, body);
      if (body.answer === "not_me") return notice(410, "disowned", query, shown.language);
      const ended = await shift.open(raw, query);
      if (ended) return ended;
      const now = shift.of(raw);
      // An offer is still open: the answer had no effect. Its page has a form, which must not follow an answer.
      if (refusal === undefined && now.state !== "offered")
        return { status: 303, headers: { Location: raw.originalUrl } };
      const why = { refusal: refusal ?? ("not_possible" as const) };
      return { status: 409, body: shiftPage(now, chosen(query.language) ?? now.language, why) };
    },
    listShifts: async ({ query, raw }) => {
      const shifts = list.of(raw);
      const suffix = chosen(query.language) === undefined ? "" : `?language=${query.language}`;
      const token = deps.linkTokens.sign("calendar", shifts.target);
      const feed = deps.publicUrl && `${deps.publicUrl}/c/calendar/${token}/shifts.ics`;
      const linkTo = (link: LinkTarget) => `../${deps.linkTokens.sign("shift", link)}${suffix}`;
      const unsubscribe = `../unsubscribe/${deps.linkTokens.sign("unsubscribe", shifts.target)}${suffix}`;
      const links = { linkTo, calendar: feed, unsubscribe };
      const body = listPage(shifts, chosen(query.language) ?? shifts.language, links);
      return { status: 200, body };
    },
    answerList: async ({ query, body: { answer }, raw }) => {
      const shown = person.of(raw);
      if (answer !== "not_me") {
        await subscribe(deps, shown, answer === "subscribe");
        return { status: 303, headers: { Location: raw.originalUrl } };
      }
      const { providerId, id: candidateId } = shown.target;
      await disown(deps, { providerId, candidateId, address: shown.address });
      return notice(410, "disowned", query, shown.language);
    },
    showSubscription: async ({ query, raw }) => subscription(subscriber.of(raw), query),
    unsubscribe: async ({ query, raw }) => {
      const shown = subscriber.of(raw);
      await subscribe(deps, shown, false);
      return subscription({ ...shown, isUnsubscribed: true }, query);
    },
    readCalendar: async ({ raw }) => ({ status: 200, body: calendarOf(calendar.of(raw), deps.now()) }),
  };
}

const IN_CALENDAR: readonly ListedShift["state"][] = ["pending", "confirmed", "withdrawing"];

function calendarOf({ organisation, language, upcoming, past }: LinkedShifts, now: Date): string {
  const { list } = PAGE_TEXT[language];
  const entries = [...past, ...upcoming]
    .filter(({ state }) => IN_CALENDAR.includes(state))
    .map((shift) => {
      const isTentative = shift.state === "pending";
      const { description, ...text } = calendarText({ ...shift, language, content: {} });
      const note = isTentative ? `${description}\n${list.states.pending}` : description;
      return { ...shift, ...text, description: note, isTentative };
    });
  return calendarFeed(`${list.title}, ${organisation}`, entries, now);
}

const chosen = (language: unknown): Language | undefined =>
  typeof language === "string" && Object.hasOwn(PAGE_TEXT, language) ? (language as Language) : undefined;

/** Only unknown links count, and only they are refused: candidates share addresses with others. */
async function isLimited(unknown: AddressLimit, request: Request): Promise<boolean> {
  try {
    await unknown.run(limitedBy(request), async () => undefined);
    return false;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 429) return true;
    throw error;
  }
}

/** Browsers say where a form was sent from. Because of the page's referrer policy, older ones name no origin for its own form. */
function isFromOtherSite({ headers }: Request, publicUrl: string | undefined): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin } = headers;
  if (origin === undefined || origin === "null") return false;
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return origin !== own && URL.parse(origin)?.host !== headers.host;
}
