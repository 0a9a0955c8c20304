/** How many days data is kept. */
export interface Retention {
  /** Events after their arrival, for which repeated webhooks are recognised. At least 30. */
  events: number;
  /** Trace steps. */
  traces: number;
  /** Jobs after the end of their shift, with their bookings, changes and notifications. */
  jobs: number;
  /** Notifications of shifts that are over. */
  notifications: number;
  /** Issues after they were resolved. */
  issues: number;
}

/** decisions, "duplicate traceId": 30 days. */
export const LEAST_EVENT_DAYS = 30;

export const RETENTION: Retention = { events: 30, traces: 30, jobs: 730, notifications: 365, issues: 365 };
