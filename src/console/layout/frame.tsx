import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { PageHead } from "../components/section.tsx";
import {
  chooseZone,
  countText,
  knownZones,
  readersZone,
  shownZone,
  type ZoneChoice,
  zoneChoice,
} from "../components/time.tsx";
import { errorOf } from "../data/errors.ts";
import { useIssueCounts } from "../data/issue-counts.ts";
import { liveState } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { announce, announced } from "../data/use-action.ts";
import { Search } from "../search/search.tsx";
import { may, me } from "../session/me.ts";
import { signOut } from "../session/session.ts";
import { ExpiryNotice } from "../session/sign-in.tsx";

interface PageLink {
  path: string;
  name: string;
  /** The addresses of other views, and the start of the addresses of single objects. */
  others?: readonly string[];
  /** Of its list, unless every role may read it. */
  operation?: Parameters<typeof may>[0];
}

const PAGES: readonly PageLink[] = [
  { path: "/console/", name: "Jobs", others: ["/console", "/console/week", "/console/jobs/"] },
  { path: "/console/people", name: "People" },
  { path: "/console/integrations", name: "Integrations", others: ["/console/health"] },
  { path: "/console/workplaces", name: "Workplaces", others: ["/console/competences"] },
  { path: "/console/events", name: "Events" },
  { path: "/console/issues", name: "Issues" },
  { path: "/console/statistics", name: "Statistics" },
  { path: "/console/operators", name: "Operators", operation: "listOperators" },
  { path: "/console/audit", name: "Audit", operation: "listAudit" },
];

/** The frame of every page: the navigation, the state of the stream, and the last announcement. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // A new page starts at its top, also for the keyboard.
  useEffect(() => {
    if (!isFirst.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="bar">
        <a class="brand" href="/console/">
          shiftpact
        </a>
        <nav aria-label="Pages">
          <ul>
            {PAGES.filter(({ operation }) => operation === undefined || may(operation)).map((page) => (
              <li key={page.path}>
                <a href={page.path} {...(isWithin(path, page) && { "aria-current": "page" })}>
                  {page.name}
                  {page.name === "Issues" && <IssueCount />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Search />
        <LiveStatus />
        <button type="button" class="quiet" onClick={leave}>
          Sign out
          {me.value && <span class="visually-hidden"> {me.value.name}</span>}
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <ExpiryNotice />
        <ZoneSwitch />
        {children}
      </main>
      <div class="announcement" role="status">
        {announced.value && <p key={announced.value.nth}>{announced.value.text}</p>}
      </div>
    </>
  );
}

const leave = () =>
  void signOut().catch((error) => announce(`You are still signed in. ${errorOf(error).title}.`));

function isWithin(path: string, { path: to, others = [] }: PageLink): boolean {
  const isUnder = (start: string) => path.startsWith(start.endsWith("/") ? start : `${start}/`);
  if (path === to || others.includes(path)) return true;
  return [to, ...others].some((start) => start.length > BASE.length && isUnder(start));
}

/** Every address starts with it, so it identifies no page. */
const BASE = "/console/";

function IssueCount() {
  const total = useIssueCounts().data?.total;
  if (!total || total.count === 0) return null;
  return (
    <span class="count">
      {countText(total)}
      <span class="visually-hidden"> open</span>
    </span>
  );
}

const LIVE = { connecting: "Connecting", live: "Live", lost: "Connection lost" };

function LiveStatus() {
  return (
    <span class="live" data-state={liveState.value} role="status">
      {LIVE[liveState.value]}
    </span>
  );
}

/** Of an address that the operator's role may not use. */
export function NotPermittedPage() {
  return (
    <>
      <PageHead title="Not for your role" />
      <p>
        An admin changes roles. Continue with the <a href="/console/">jobs</a>.
      </p>
    </>
  );
}

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        The address may be outdated. Continue with the <a href="/console/">jobs</a>.
      </p>
    </>
  );
}

/** Names the zone of all times on the page, and switches between the organisations' and the viewer's. */
function ZoneSwitch() {
  // The zones are those of the organisations, which not every page reads.
  useNames();
  const several = knownZones.value.length > 1;
  const ofOrganisations = several
    ? "of each organisation"
    : zoneChoice.value === "organisation"
      ? shownZone()
      : (knownZones.value[0] ?? readersZone());
  return (
    <label class="zone-switch">
      Times in{" "}
      <select
        value={zoneChoice.value}
        onChange={(event) => chooseZone(event.currentTarget.value as ZoneChoice)}
      >
        <option value="organisation">{ofOrganisations}</option>
        <option value="viewer">{readersZone()} (mine)</option>
      </select>
    </label>
  );
}
