import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from "express";
import { createRouter, type Handlers } from "../../../generated/candidate/server.ts";
import type { Language } from "../../../generated/operations/types.ts";
import { calendarText } from "../../contract/candidate-text/calendar.ts";
import { type NoticeCode, PAGE_TEXT } from "../../contract/candidate-text/page-words.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { AddressLimit } from "../access/address-limit.ts";
import type { Deps, LinkPurpose, LinkTarget } from "../deps.ts";
import { answerShift } from "../links/answer.ts";
import { disown } from "../links/disown.ts";
import { noteOpened } from "../links/opened.ts";
import { type LinkedPerson, readLinkedPerson, subscribe } from "../links/person.ts";
import { type LinkedShift, readLinkedShift } from "../links/shift.ts";
import { type LinkedShifts, type ListedShift, readLinkedShifts } from "../links/shifts.ts";
import { calendarFeed } from "../notifications/calendar.ts";
import { limitedBy } from "./authenticate.ts";
import { listPage, subscriptionPage } from "./candidate-list-page.ts";
import { CANDIDATE_POLICY, noticePage, shiftPage } from "./candidate-page.ts";
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
  const router = createRouter<undefined>({
    handlers: handlersOf(deps, unknown),
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

type Query = { language?: string };
type Status = 403 | 404 | 409 | 410 | 429;

function handlersOf(deps: Deps, unknown: AddressLimit): Handlers<undefined> {
  const { language } = deps;
  const notice = <Code extends Status>(status: Code, code: NoticeCode, query: Query, own = language) =>
    ({ status, body: noticePage(code, chosen(query.language) ?? own) }) as const;
  /** Returns a function that returns what a valid link leads to, or the page that is shown instead. */
  const opening =
    <Linked>(purpose: LinkPurpose, read: (deps: Deps, target: LinkTarget) => Promise<Linked | undefined>) =>
    async (token: string, query: Query, raw: Request) => {
      const target = deps.linkTokens.read(purpose, token);
      if (!target)
        return (await isLimited(unknown, raw))
          ? notice(429, "too_many", query)
          : notice(404, "unknown", query);
      return (await read(deps, target)) ?? notice(410, "ended", query);
    };
  const open = opening("shift", readLinkedShift);
  const openList = opening("shifts", readLinkedShifts);
  const openPerson = opening("shifts", readLinkedPerson);
  const openSubscription = opening("unsubscribe", readLinkedPerson);
  const openCalendar = opening("calendar", readLinkedShifts);
  const page = (shift: LinkedShift, query: Query) =>
    shiftPage(shift, chosen(query.language) ?? shift.language);
  const subscription = (person: LinkedPerson, query: Query) =>
    ({ status: 200, body: subscriptionPage(person, chosen(query.language) ?? person.language) }) as const;
  return {
    showShift: async ({ path, query, raw }) => {
      const shift = await open(path.token, query, raw);
      if ("body" in shift) return shift;
      if (raw.method === "GET") await noteOpened(deps, shift);
      return { status: 200, body: page(shift, query) };
    },
    answerShift: async ({ path, query, body: { answer }, raw }) => {
      if (isFromOtherSite(raw, deps.publicUrl)) return notice(403, "other_site", query);
      const shift = await open(path.token, query, raw);
      if ("body" in shift) return shift;
      const refusal = await answerShift(deps, shift, answer);
      if (answer === "not_me") return notice(410, "disowned", query, shift.language);
      if (refusal === undefined) return { status: 303, headers: { Location: raw.originalUrl } };
      const now = await open(path.token, query, raw);
      if ("body" in now) return now;
      const body = shiftPage(now, chosen(query.language) ?? now.language, refusal);
      return { status: 409, body };
    },
    listShifts: async ({ path, query, raw }) => {
      const shifts = await openList(path.token, query, raw);
      if ("body" in shifts) return shifts;
      const suffix = chosen(query.language) === undefined ? "" : `?language=${query.language}`;
      const token = deps.linkTokens.sign("calendar", shifts.target);
      const calendar = deps.publicUrl && `${deps.publicUrl}/c/calendar/${token}/shifts.ics`;
      const linkTo = (link: LinkTarget) => `../${deps.linkTokens.sign("shift", link)}${suffix}`;
      const body = listPage(shifts, chosen(query.language) ?? shifts.language, { linkTo, calendar });
      return { status: 200, body };
    },
    answerList: async ({ path, query, body: { answer }, raw }) => {
      if (isFromOtherSite(raw, deps.publicUrl)) return notice(403, "other_site", query);
      const person = await openPerson(path.token, query, raw);
      if ("body" in person) return person;
      if (answer !== "not_me") {
        await subscribe(deps, person, answer === "subscribe");
        return { status: 303, headers: { Location: raw.originalUrl } };
      }
      const { providerId, id: candidateId } = person.target;
      await disown(deps, { providerId, candidateId, address: person.address });
      return notice(410, "disowned", query, person.language);
    },
    showSubscription: async ({ path, query, raw }) => {
      const person = await openSubscription(path.token, query, raw);
      return "body" in person ? person : subscription(person, query);
    },
    unsubscribe: async ({ path, query, raw }) => {
      const person = await openSubscription(path.token, query, raw);
      if ("body" in person) return person;
      await subscribe(deps, person, false);
      return subscription({ ...person, isUnsubscribed: true }, query);
    },
    readCalendar: async ({ path, raw }) => {
      const shifts = await openCalendar(path.token, {}, raw);
      return "body" in shifts ? shifts : { status: 200, body: calendarOf(shifts, deps.now()) };
    },
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
