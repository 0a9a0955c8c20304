import { addressWith } from "../parts/address.ts";

/** Which entries are shown. It is the query of the address. */
export interface AuditFilter {
  operator?: string;
  operation?: string;
  /** The id of what an entry is about. */
  subject?: string;
  /** The first and the last day in UTC, so that a link has the same meaning everywhere: `2026-11-24`. */
  from?: string;
  to?: string;
}

const TEXTS = ["operator", "operation", "subject"] as const;
const DAYS = ["from", "to"] as const;
const DAY_MS = 86_400_000;

/** The filter in the query of an address, without unknown or empty members. */
export function auditFilterOf(query: Readonly<Record<string, string>>): AuditFilter {
  const texts = TEXTS.map((name) => [name, query[name]?.trim()]);
  const days = DAYS.map((name) => [name, isDay(query[name]) ? query[name] : undefined]);
  return Object.fromEntries([...texts, ...days].filter(([, value]) => value));
}

export const auditAddress = (filter: AuditFilter): string => addressWith("/console/audit", filter);

/** The query of the operations API. */
export function auditQueryOf({ from, to, ...texts }: AuditFilter) {
  return {
    ...texts,
    ...(from !== undefined && { since: new Date(from).toISOString() }),
    ...(to !== undefined && { until: new Date(Date.parse(to) + DAY_MS).toISOString() }),
  };
}

function isDay(text: string | undefined): boolean {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
