import type { Env } from "./setting-kinds.ts";
import { settingOf } from "./settings.ts";

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

export const readRetention = (env: Env): Retention => ({
  events: settingOf(env, "RETAIN_EVENTS_DAYS"),
  traces: settingOf(env, "RETAIN_TRACES_DAYS"),
  jobs: settingOf(env, "RETAIN_JOBS_DAYS"),
  notifications: settingOf(env, "RETAIN_NOTIFICATIONS_DAYS"),
  issues: settingOf(env, "RETAIN_ISSUES_DAYS"),
});

/** Unless set otherwise. */
export const RETENTION = readRetention({});
