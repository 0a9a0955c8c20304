import { createHash } from "node:crypto";
import type { AnswerCode } from "../../../generated/candidate/types.ts";
import type { Language } from "../../../generated/operations/types.ts";
import { type NoticeCode, PAGE_TEXT, type RefusalCode } from "../../contract/candidate-text/page-words.ts";
import { lengthOf, type When, whenOf } from "../../contract/candidate-text/when.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import { Html, html } from "../../contract/html.ts";
import type { LinkedShift } from "../links/shift.ts";

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
form { display: grid; gap: .75rem; margin: 1rem 0; }
button { font: inherit; font-weight: 600; padding: .8rem 1rem; min-height: 3rem; border-radius: .75rem; border: 2px solid var(--main); background: none; color: var(--main); cursor: pointer; }
button.main { background: var(--main); color: var(--on); }
a { color: var(--main); }
a, summary { display: inline-block; padding: .4rem 0; min-height: 1.5rem; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
footer { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .75rem; font-size: .9375rem; }
`;

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

/** The page's own style and its form, and nothing else. No other site may show it in a frame. */
export const CANDIDATE_POLICY = `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** So often a page that waits for the provider is loaded again. Seconds. */
const REFRESH_S = 5;

/** The page of a shift. */
export function shiftPage(shift: LinkedShift, language: Language, refusal?: RefusalCode): string {
  const text = PAGE_TEXT[language];
  const { title, text: lead } = text.states[shift.state];
  const isWaiting = shift.state === "pending" || shift.state === "withdrawing";
  const content = html`
    <p class="by"><bdi>${shift.organisation}</bdi></p>
    <h1>${title}</h1>
    <p>${text.greeting} <bdi>${shift.firstName}</bdi>! ${lead}</p>
    ${refusal && html`<p class="warn" role="alert">${text.refusals[refusal]}</p>`}
    ${isWaiting && shift.isSilent ? html`<p class="warn">${text.silent}</p>` : undefined}
    ${shift.before && html`<p class="warn">${text.moved}</p>`}
    ${factsOf(shift, language)}
    ${shift.answers.length > 0 ? formOf(shift, language) : undefined}
    ${contactOf(shift, language)}
    <footer>
      ${otherLanguages(language)}
      ${disownment(shift.firstName, language)}
    </footer>`;
  return pageOf(language, title, content, isWaiting && refusal === undefined);
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
export function disownment(firstName: string, language: Language): Html {
  const { question, text, answer } = PAGE_TEXT[language].disown;
  return html`<details><summary>${question(firstName)}</summary>
        <p>${text}</p>
        <form method="post"><button name="answer" value="not_me">${answer}</button></form>
      </details>`;
}

export function pageOf(language: Language, title: string, content: Html, refreshes = false): string {
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

export const spanOf = ({ day, times }: When) => `${day} ${times}`;

function formOf({ answers, state }: LinkedShift, language: Language): Html {
  const text = PAGE_TEXT[language];
  const label = (answer: Exclude<AnswerCode, "not_me">) =>
    answer === "accept" && state !== "offered" ? text.afterAll : text.answers[answer];
  const buttons = answers.map((answer) =>
    answer === "accept"
      ? html`<button class="main" name="answer" value="${answer}">${label(answer)}</button>`
      : html`<button name="answer" value="${answer}">${label(answer)}</button>`,
  );
  return html`<form method="post">${buttons}</form>`;
}

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

export function otherLanguages(language: Language): readonly Html[] {
  return Object.entries(PAGE_TEXT)
    .filter(([other]) => other !== language)
    .map(
      ([other, { name }]) =>
        html`<a href="?language=${other}" lang="${other}" hreflang="${other}" rel="nofollow">${name}</a>`,
    );
}
