import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from "express";
import { createRouter, type Handlers } from "../../../generated/candidate/server.ts";
import type { Language } from "../../../generated/operations/types.ts";
import { type NoticeCode, PAGE_TEXT } from "../../contract/candidate-text/page-words.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { AddressLimit } from "../access/address-limit.ts";
import type { Deps } from "../deps.ts";
import { answerShift } from "../links/answer.ts";
import { noteOpened } from "../links/opened.ts";
import { type LinkedShift, readLinkedShift } from "../links/shift.ts";
import { hideFromSpan } from "../tracing.ts";
import { limitedBy } from "./authenticate.ts";
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
  hideFromSpan("/c/{token}");
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
  /** Returns the shift of a valid link, or the page that is shown instead. */
  const open = async (token: string, query: Query, raw: Request) => {
    const target = deps.linkTokens.read(token);
    if (!target)
      return (await isLimited(unknown, raw)) ? notice(429, "too_many", query) : notice(404, "unknown", query);
    const shift = await readLinkedShift(deps, target);
    return shift ?? notice(410, "ended", query);
  };
  const page = (shift: LinkedShift, query: Query) =>
    shiftPage(shift, chosen(query.language) ?? shift.language);
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
  };
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
