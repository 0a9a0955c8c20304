/**
 * The statements that read or write rows of every organisation, on purpose: their tables, by the file that makes them. An entry that no statement
 * needs any more is reported.
 */
export const ACROSS: Readonly<Record<string, { tables: string; why: string; isOnlyOnCitus?: true }>> = {
  "backlog/backlogs.ts": {
    tables: "integrations figures",
    why: "the console shows the backlog of each; sums the figures of each",
  },
  "backlog/counts.ts": {
    tables: "work events integrations bookings",
    why: "counts what waits of each, once in ten seconds",
  },
  "backup/after-restore.ts": { tables: "issues", why: "a restored backup is counted as a whole" },
  "candidates/competences.ts": {
    tables: "membership_competences integrations",
    why: "takes a competence away wherever it is asserted, and finds whom it concerns",
  },
  "candidates/eligible.ts": {
    tables: "bookings jobs own_people memberships integrations",
    why: "a person works for several",
  },
  "candidates/erase.ts": {
    tables:
      "bookings issues jobs provider_candidates own_people memberships offer_mails notifications declines disputed_addresses personal_links",
    why: "a person is erased everywhere",
  },
  "candidates/sources.ts": {
    tables: "memberships membership_competences personal_links",
    why: "shows what each asserts about a person",
  },
  "db/organisation.ts": {
    tables: "events jobs notifications issues rejected_webhooks shifts figures pending_operations work",
    why: "finds the organisations that have rows to change",
    isOnlyOnCitus: true,
  },
  "http/issue-views.ts": {
    tables: "issues jobs outlets roles",
    why: "the console groups those of all, and names what each is about",
  },
  "http/job-candidates.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "http/operations/candidates.ts": {
    tables: "memberships membership_competences",
    why: "finds people by what any asserts",
  },
  "http/operations/events.ts": {
    tables: "rejected_webhooks all_events events_of_shifts trace_steps",
    why: "finds an event or a trace by its id alone, and lists those of all",
  },
  "http/operations/integrations.ts": { tables: "integrations", why: "lists them" },
  "http/operations/issues.ts": {
    tables: "issues jobs",
    why: "the console lists and counts those of all, and finds a job by its id alone",
  },
  "http/operations/jobs.ts": {
    tables: "jobs bookings trace_steps",
    why: "finds a job by its id alone, and lists those of all",
  },
  "http/operations/monitoring.ts": { tables: "integrations", why: "lists them" },
  "http/operations/notifications.ts": {
    tables: "notifications jobs",
    why: "lists those of all, of a job by its id alone, or of a person",
  },
  "inbox/dispatch.ts": { tables: "events", why: "finds the webhooks that wait, of all" },
  "inbox/readiness.ts": { tables: "events", why: "tries to store nothing" },
  "inbox/replay.ts": { tables: "all_events", why: "finds an event by its id alone" },
  "integrations/delete.ts": { tables: "integrations", why: "continues deletions after a restart" },
  "integrations/mapped-lists.ts": { tables: "outlets roles", why: "shows what each maps to a workplace" },
  "integrations/tokens.ts": { tables: "platform_tokens integrations", why: "a token says whose it is" },
  "integrations/vault.ts": { tables: "integrations", why: "seals the tokens of all with a new key" },
  "issues.ts": { tables: "issues", why: "finds an issue by its id alone, and those about a person" },
  "jobs/job.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "jobs/staffing.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "jobs/statistics.ts": { tables: "jobs integrations bookings", why: "the figures of all" },
  "metrics/figures.ts": {
    tables: "integrations",
    why: "writes those of each, unless it was deleted meanwhile",
  },
  "metrics/readings.ts": {
    tables: "issues events integrations notifications",
    why: "gauges count those of all",
  },
  "notifications/alerts.ts": { tables: "issues", why: "finds the organisations with issues to alert of" },
  "notifications/deliver.ts": { tables: "work", why: "counts the mail that waits" },
  "notifications/mail-issues.ts": {
    tables: "issues work",
    why: "finds where mail has failed; all mail waits for one mail server",
  },
  "notifications/resend.ts": { tables: "notifications", why: "finds a notification by its id alone" },
  "upkeep/upkeep.ts": { tables: "integrations", why: "finds the providers that went silent" },
  "work/agenda.ts": { tables: "work", why: "finds the organisations at which work is due" },
  "work/claims.ts": { tables: "work integrations", why: "asks whether anything is due" },
  "work/refresh.ts": {
    tables: "bookings jobs issues membership_competences",
    why: "a person who becomes free may work for others",
  },
  "work/rows.ts": { tables: "bookings jobs", why: "a person who is erased may be booked by several" },
};
