import type { Env } from "./setting-kinds.ts";
import { settingOf } from "./settings.ts";

/** How many days data is kept. */
export interface Retention {
  /** Events after their arrival, for which repeated webhooks are recognised. */
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

/** What no law asks for has no setting: a month to look into what happened, a year to see what comes back. */
const FIXED = { events: 30, traces: 30, issues: 365 };

export const readRetention = (env: Env): Retention => ({
  ...FIXED,
  jobs: settingOf(env, "RETAIN_JOBS_DAYS"),
  notifications: settingOf(env, "RETAIN_NOTIFICATIONS_DAYS"),
});

/** Unless set otherwise. */
export const RETENTION = readRetention({});
