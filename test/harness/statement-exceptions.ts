/**
 * The statements that read or write rows of every organisation, on purpose: their tables, by the file that makes them. An entry that no statement
 * needs any more is reported.
 */
export const ACROSS: Readonly<Record<string, { tables: string; why: string }>> = {
  "backlog/backlogs.ts": { tables: "integrations", why: "the console shows the backlog of each" },
  "backlog/counts.ts": {
    tables: "work events integrations bookings",
    why: "counts what waits of each, once in ten seconds",
  },
  "backlog/pace.ts": { tables: "figures", why: "sums the figures of each" },
  "backup/catch-up.ts": { tables: "issues", why: "a restored backup is counted as a whole" },
  "candidates/busy.ts": {
    tables: "bookings jobs own_people memberships",
    why: "a person works for several",
  },
  "candidates/candidate.ts": {
    tables: "memberships",
    why: "finds a person's address where any registry names one",
  },
  "candidates/erase.ts": {
    tables: "bookings jobs provider_candidates own_people memberships offer_mails notifications",
    why: "a person is erased everywhere",
  },
  "candidates/forget-members.ts": { tables: "memberships bookings", why: "a person may be known to others" },
  "http/job-candidates.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "http/operations/candidates.ts": {
    tables: "memberships membership_competences integrations",
    why: "shows what each asserts about a person, and whom a competence concerns",
  },
  "http/operations/events.ts": {
    tables: "all_events events_of_shifts trace_steps",
    why: "finds an event or a trace by its id alone, and lists those of all",
  },
  "http/operations/integrations.ts": { tables: "integrations", why: "lists them" },
  "http/operations/issues.ts": { tables: "issues", why: "the console lists and counts those of all" },
  "http/operations/jobs.ts": {
    tables: "jobs bookings trace_steps",
    why: "finds a job by its id alone, and lists those of all",
  },
  "http/operations/monitoring.ts": { tables: "integrations", why: "lists them" },
  "http/operations/notifications.ts": {
    tables: "notifications jobs",
    why: "lists those of all, of a job by its id alone, or of a person",
  },
  "integrations/delete.ts": { tables: "integrations", why: "continues deletions after a restart" },
  "integrations/mapped-lists.ts": { tables: "outlets roles", why: "shows what each maps to a workplace" },
  "integrations/reseal.ts": { tables: "integrations", why: "seals the tokens of all with a new key" },
  "integrations/tokens.ts": { tables: "platform_tokens integrations", why: "a token says whose it is" },
  "jobs/job.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "jobs/staffing.ts": { tables: "jobs", why: "finds a job by its id alone" },
  "jobs/statistics.ts": { tables: "jobs integrations bookings", why: "the figures of all" },
  "metrics/readings.ts": {
    tables: "issues events integrations notifications",
    why: "gauges count those of all",
  },
};

/** What is not checked yet: `issues.ts` runs conditions of `notifications`. */
export const NOT_YET = /^(?:(?:inbox|work|shifts|people|notifications|upkeep)\/|issues\.ts$)/;
