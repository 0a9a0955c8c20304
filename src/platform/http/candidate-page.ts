import { createHash } from "node:crypto";
import type { Language } from "../../../generated/operations/types.ts";
import {
  type AskedCode,
  type NoticeCode,
  PAGE_TEXT,
  type RefusalCode,
} from "../../contract/candidate-text/page-words.ts";
import { lengthOf, type When, whenOf } from "../../contract/candidate-text/when.ts";
import { Html, html } from "../../contract/html.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import type { LinkTarget } from "../deps.ts";
import { type LinkedShift, shownOf } from "../links/shift.ts";
import type { LinkedPerson, LinkedShifts, ListedShift } from "../links/shifts.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #56606b; --ground: #fff; --card: #f4f6f8; --line: #c9d1d9; --main: #0b5cad; --on: #fff; --warn: #8a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #eef1f4; --soft: #aab4be; --ground: #14171a; --card: #1f2429; --line: #3b444d; --main: #7ab8ff; --on: #06121f; --warn: #ffc078; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1.0625rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 .75rem; }
.by, dt, footer { color: var(--soft); }
.warn { color: var(--warn); font-weight: 600; }
dl { background: var(--card); border-radius: .75rem; padding: .75rem 1rem; margin: 1rem 0; }
dt { font-size: .875rem; margin-top: .5rem; }
dt:first-of-type { margin-top: 0; }
dd { margin: 0; font-weight: 600; }
dd.plain { font-weight: 400; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
li { background: var(--card); border-radius: .75rem; padding: .5rem 1rem .75rem; display: grid; }
form { display: grid; gap: .75rem; margin: 1rem 0 1rem calc(50% + .25rem); }
button, a.step { font: inherit; font-weight: 600; text-align: center; padding: .8rem .5rem; min-height: 3rem; border-radius: .75rem; border: 2px solid var(--main); background: none; color: var(--main); cursor: pointer; }
button.main { background: var(--main); color: var(--on); }
a { color: var(--main); max-width: calc(50% - .25rem); }
a, summary { display: inline-block; padding: .4rem 0; min-height: 1.5rem; }
a.step { width: calc(50% - .25rem); text-decoration: none; }
.ask { display: flex; margin: 1rem 0; }
.ask form { flex: 1; margin: 0 0 0 .5rem; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
footer { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .75rem; font-size: .9375rem; }
`;

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

/** The page's own style and its form, and nothing else. No other site may show it in a frame. */
export const CANDIDATE_POLICY = `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** So often a page that waits for the provider is loaded again. Seconds. */
const REFRESH_S = 5;

/** What a page of a shift is for: an answer that it asks for, or why the last answer was refused. */
interface Purpose {
  ask?: string | undefined;
  refusal?: RefusalCode;
}

/**
 * The page of a shift. What sends an answer stands in the right half, and what opens another page in the left one; and a page that follows an answer sends none:
 * a press that is repeated at the same point never gives another answer.
 */
export function shiftPage(shift: LinkedShift, language: Language, { ask, refusal }: Purpose = {}): string {
  const text = PAGE_TEXT[language];
  const asked = asksOf(shift).find((each) => each === ask && refusal === undefined);
  const { title, text: lead } = asked ? text.asks[asked] : text.states[shift.state];
  const isWaiting = shift.state === "pending" || shift.state === "withdrawing";
  const content = html`
    <p class="by"><bdi>${shift.organisation}</bdi></p>
    <h1>${title}</h1>
    <p>${text.greeting} <bdi>${shift.firstName}</bdi>! ${lead}</p>
    ${refusal && html`<p class="warn" role="alert">${text.refusals[refusal]}</p>`}
    ${isWaiting && shift.isSilent ? html`<p class="warn">${text.silent}</p>` : undefined}
    ${shift.before && html`<p class="warn">${text.moved}</p>`}
    ${factsOf(shift, language)}
    ${asked ? askOf(shift, asked, language) : stepsOf(shift, language, refusal !== undefined)}
    ${contactOf(shift, language)}
    <footer>
      ${otherLanguages(language)}
      ${disownment(shift.firstName, language)}
    </footer>`;
  return pageOf(language, title, content, isWaiting && refusal === undefined && asked === undefined);
}

/** A page that says why there is no shift to show. */
export function noticePage(notice: NoticeCode, language: Language): string {
  const { title, text } = PAGE_TEXT[language].notices[notice];
  return pageOf(
    language,
    title,
    html`<h1>${title}</h1><p>${text}</p><footer>${otherLanguages(language)}</footer>`,
  );
}

/** "This is not me", behind a question: it must not be sent by mistake. */
function disownment(firstName: string, language: Language): Html {
  const { question, text, answer } = PAGE_TEXT[language].disown;
  return html`<details><summary>${question(firstName)}</summary>
        <p>${text}</p>
        <form method="post"><button name="answer" value="not_me">${answer}</button></form>
      </details>`;
}

function pageOf(language: Language, title: string, content: Html, refreshes = false): string {
  const refresh = html`<meta http-equiv="refresh" content="${String(REFRESH_S)}">`;
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
${refreshes ? refresh : undefined}<style>${new Html(STYLE)}</style></head>
<body><main>${content}</main></body></html>
`.text;
}

function factsOf(shift: LinkedShift, language: Language): Html {
  const { labels } = PAGE_TEXT[language];
  const {
    roleName,
    outletName,
    outletAddress,
    timeZone,
    startTime,
    endTime,
    before,
    breakMinutes,
    description,
  } = shift;
  const when = whenOf(language, timeZone, startTime, endTime);
  const former = before && whenOf(language, timeZone, before.startTime, before.endTime);
  const fact = (label: keyof typeof labels, value: string | number | null) =>
    value ? html`<dt>${labels[label]}</dt><dd><bdi>${String(value)}</bdi></dd>` : undefined;
  return html`<dl>
    ${fact("role", roleName)}${fact("place", outletName)}${fact("address", outletAddress)}
    ${fact("day", when.day)}${fact("times", `${when.times} (${when.zone})`)}${fact("length", when.length)}
    ${fact("break", breakMinutes && lengthOf(language, breakMinutes * MINUTE_MS))}${fact("about", description)}
    ${former && html`<dt>${labels.before}</dt><dd class="plain"><del>${spanOf(former)}</del></dd>`}</dl>`;
}

const spanOf = ({ day, times }: When) => `${day} ${times}`;

/** The answers that are asked for on a page of their own: those after a first one. */
const asksOf = ({ answers, state }: LinkedShift): AskedCode[] =>
  state === "offered" ? [] : answers.filter((answer) => answer !== "decline");

/** The page that asks for an answer: the way back, and the answer. */
function askOf(shift: LinkedShift, asked: AskedCode, language: Language): Html {
  const { answer, back } = PAGE_TEXT[language].asks[asked];
  const button = html`<button class="main" name="answer" value="${asked}">${answer}</button>`;
  return html`<div class="ask">${stepTo(language, back)}${formOf(shift, language, button)}</div>`;
}

/** What the candidate can do next. `isRefused`: the page follows an answer. */
function stepsOf(shift: LinkedShift, language: Language, isRefused: boolean): Html | undefined {
  const { answers, asks, again } = PAGE_TEXT[language];
  if (shift.state !== "offered")
    return html`${asksOf(shift).map((ask) => html`<p>${stepTo(language, asks[ask].open, ask)}</p>`)}`;
  if (isRefused) return html`<p>${stepTo(language, again)}</p>`;
  const buttons = html`<button class="main" name="answer" value="accept">${answers.accept}</button>
    <button name="answer" value="decline">${answers.decline}</button>`;
  return formOf(shift, language, buttons);
}

/** Opens the shift's page, or the one that asks for an answer. */
const stepTo = (language: Language, label: string, ask?: AskedCode) =>
  html`<a class="step" rel="nofollow" href="?language=${language}${ask && `&ask=${ask}`}">${label}</a>`;

/** An answer names what the page shows, and leads to the shift's own page. */
const formOf = (shift: LinkedShift, language: Language, buttons: Html) =>
  html`<form method="post" action="?language=${language}"><input type="hidden" name="shown" value="${shownOf(shift)}">${buttons}</form>`;

function contactOf(
  { isTooLate, contactPhone, organisation }: LinkedShift,
  language: Language,
): Html | undefined {
  const text = PAGE_TEXT[language];
  if (!isTooLate) return undefined;
  const contact = html`<bdi>${text.contact(organisation)}</bdi>`;
  return contactPhone === null
    ? html`<p>${text.tooLate} ${contact}.</p>`
    : html`<p>${text.tooLate} ${contact}: <a href="tel:${contactPhone.replaceAll(/[^\d+]/g, "")}">${contactPhone}</a></p>`;
}

function otherLanguages(language: Language): readonly Html[] {
  return Object.entries(PAGE_TEXT)
    .filter(([other]) => other !== language)
    .map(
      ([other, { name }]) =>
        html`<a href="?language=${other}" lang="${other}" hreflang="${other}" rel="nofollow">${name}</a>`,
    );
}

interface Links {
  /** The address of a shift's page. */
  linkTo: (link: LinkTarget) => string;
  /** That of the calendar, if the platform knows its own. */
  calendar: string | undefined;
  /** That of the page on which mail with offers ends. */
  unsubscribe: string;
}

/** The page of all shifts of a candidate. */
export function listPage(
  { firstName, organisation, upcoming, past, isUnsubscribed }: LinkedShifts,
  language: Language,
  { linkTo, calendar, unsubscribe }: Links,
): string {
  const text = PAGE_TEXT[language];
  const { title, lead, none, ...words } = text.list;
  const section = (heading: string, shifts: readonly ListedShift[]) =>
    shifts.length > 0
      ? html`<h2>${heading}</h2><ul>${shifts.map((shift) => itemOf(shift, language, linkTo))}</ul>`
      : undefined;
  const content = html`
    <p class="by"><bdi>${organisation}</bdi></p>
    <h1>${title}</h1>
    <p>${text.greeting} <bdi>${firstName}</bdi>! ${upcoming.length + past.length > 0 ? lead : none}</p>
    ${section(words.upcoming, upcoming)}
    ${section(words.past, past)}
    ${calendar === undefined ? undefined : calendarSection(calendar, words.calendar)}
    ${subscriptionSection(words.mail, isUnsubscribed, unsubscribe)}
    <footer>
      ${otherLanguages(language)}
      ${disownment(firstName, language)}
    </footer>`;
  return pageOf(language, title, content);
}

function subscriptionSection(
  { title, on, off, unsubscribe, subscribe }: (typeof PAGE_TEXT)[Language]["list"]["mail"],
  isUnsubscribed: boolean,
  link: string,
): Html {
  const next = isUnsubscribed
    ? html`<form method="post"><button class="main" name="answer" value="subscribe">${subscribe}</button></form>`
    : html`<p><a href="${link}">${unsubscribe}</a></p>`;
  return html`<h2>${title}</h2><p>${isUnsubscribed ? off : on}</p>${next}`;
}

/** The page on which mail with offers ends. It leads to no other one, and names no one: mail programs and their operators have its link, too. */
export function subscriptionPage({ organisation, isUnsubscribed }: LinkedPerson, language: Language): string {
  const { title, ask, done, answer } = PAGE_TEXT[language].subscription;
  const content = html`
    <p class="by"><bdi>${organisation}</bdi></p>
    <h1>${title}</h1>
    <p>${isUnsubscribed ? done : ask}</p>
    ${isUnsubscribed ? undefined : html`<form method="post"><button class="main">${answer}</button></form>`}
    <footer>${otherLanguages(language)}</footer>`;
  return pageOf(language, title, content);
}

function itemOf(shift: ListedShift, language: Language, linkTo: (link: LinkTarget) => string): Html {
  const { roleName, outletName, timeZone, startTime, endTime, state, link } = shift;
  const { labels, list } = PAGE_TEXT[language];
  const when = whenOf(language, timeZone, startTime, endTime);
  const name = [roleName, outletName].filter(Boolean).join(", ") || labels.role;
  const title = html`<bdi>${name}</bdi>`;
  return html`<li><strong>${link ? html`<a href="${linkTo(link)}">${title}</a>` : title}</strong>
    <span>${spanOf(when)}</span><span class="by">${list.states[state]}</span></li>`;
}

function calendarSection(
  address: string,
  { title, text, subscribe, address: label }: (typeof PAGE_TEXT)[Language]["list"]["calendar"],
): Html {
  return html`<h2>${title}</h2><p>${text}</p>
    <p><a href="${address.replace(/^https?:/, "webcal:")}">${subscribe}</a></p>
    <details><summary>${label}</summary><p><code>${address}</code></p></details>`;
}
