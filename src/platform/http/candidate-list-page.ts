import type { Language } from "../../../generated/operations/types.ts";
import { PAGE_TEXT } from "../../contract/candidate-text/page-words.ts";
import { whenOf } from "../../contract/candidate-text/when.ts";
import { type Html, html } from "../../contract/html.ts";
import type { LinkTarget } from "../deps.ts";
import type { LinkedPerson } from "../links/person.ts";
import type { LinkedShifts, ListedShift } from "../links/shifts.ts";
import { disownment, otherLanguages, pageOf, spanOf } from "./candidate-page.ts";

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
