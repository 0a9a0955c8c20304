import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { AuditPage } from "./access/audit-page.tsx";
import { OperatorsPage } from "./access/operators-page.tsx";
import { CompetencesPage, WorkplacesPage } from "./catalogue/catalogue-page.tsx";
import { followStream } from "./data/live.ts";
import { EventPage } from "./events/event-page.tsx";
import { EventsPage } from "./events/events-page.tsx";
import { RejectedPage } from "./events/rejected-page.tsx";
import { HealthPage } from "./integrations/health-page.tsx";
import { IntegrationPage } from "./integrations/integration-page.tsx";
import { IntegrationsPage } from "./integrations/integrations-page.tsx";
import { NewIntegrationPage } from "./integrations/new-integration-page.tsx";
import { IssuesPage } from "./issues/issues-page.tsx";
import { JobPage } from "./job/job-page.tsx";
import { JobsPage } from "./jobs/jobs-page.tsx";
import { WeekPage } from "./jobs/week-page.tsx";
import { Frame, NotFoundPage, NotPermittedPage } from "./layout/frame.tsx";
import { PeoplePage } from "./people/people-page.tsx";
import { PersonPage } from "./people/person-page.tsx";
import { may, me } from "./session/me.ts";
import { followMe, followSession } from "./session/session.ts";
import { OfferedToken, SignIn, Starting } from "./session/sign-in.tsx";

/** Loaded when it is opened, because of its chart library. */
const StatisticsPage = lazy(async () => (await import("./statistics/statistics-page.tsx")).StatisticsPage);

/** Loaded when it is opened, because of its reader of CSV files. */
const ImportPage = lazy(async () => (await import("./people/import-page.tsx")).ImportPage);

/** A page that is about one operation. */
const pageFor = (operation: Parameters<typeof may>[0], Page: ComponentType) => () =>
  may(operation) ? <Page /> : <NotPermittedPage />;

const PAGES = {
  importing: pageFor("importCandidates", ImportPage),
  registering: pageFor("createIntegration", NewIntegrationPage),
  operators: pageFor("listOperators", OperatorsPage),
  audit: pageFor("listAudit", AuditPage),
};

/** Where the platform serves the console. */
const BASE = "/console";

export function App() {
  useEffect(followSession, []);
  if (me.value === undefined) return <Starting />;
  if (me.value === null) return <SignIn />;
  return (
    <>
      <SignedIn key={me.value.operatorId ?? ""} />
      <OfferedToken />
    </>
  );
}

function SignedIn() {
  useEffect(followStream, []);
  useEffect(followMe, []);
  return (
    <LocationProvider scope={BASE}>
      <Frame>
        <ErrorBoundary>
          <Router>
            <Route path={`${BASE}/`} component={JobsPage} />
            <Route path={`${BASE}/jobs/:jobId`} component={JobPage} />
            <Route path={`${BASE}/week`} component={WeekPage} />
            <Route path={`${BASE}/people`} component={PeoplePage} />
            <Route path={`${BASE}/people/import`} component={PAGES.importing} />
            <Route path={`${BASE}/people/:candidateId`} component={PersonPage} />
            <Route path={`${BASE}/integrations`} component={IntegrationsPage} />
            <Route path={`${BASE}/integrations/new`} component={PAGES.registering} />
            <Route path={`${BASE}/integrations/:providerId`} component={IntegrationPage} />
            <Route path={`${BASE}/health`} component={HealthPage} />
            <Route path={`${BASE}/workplaces`} component={WorkplacesPage} />
            <Route path={`${BASE}/competences`} component={CompetencesPage} />
            <Route path={`${BASE}/events`} component={EventsPage} />
            <Route path={`${BASE}/events/rejected`} component={RejectedPage} />
            <Route path={`${BASE}/events/:eventId`} component={EventPage} />
            <Route path={`${BASE}/issues`} component={IssuesPage} />
            <Route path={`${BASE}/operators`} component={PAGES.operators} />
            <Route path={`${BASE}/audit`} component={PAGES.audit} />
            <Route path={`${BASE}/statistics`} component={StatisticsPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </ErrorBoundary>
      </Frame>
    </LocationProvider>
  );
}
