import { signal } from "@preact/signals";
import { scopes } from "../../../generated/operations/client.ts";
import type { Me, Role } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";

/** The operator who is signed in; null: no one; undefined: not known yet. */
export const me = signal<Me | null | undefined>(undefined);

/** The reason of an automatic sign-out, for the sign-in page. */
export const signedOutBecause = signal<string | undefined>(undefined);

export const ROLES: Readonly<Record<Role, { name: string; may: string }>> = {
  viewer: { name: "Viewer", may: "reads, with masked personal data" },
  operator: { name: "Operator", may: "does the daily work: people, jobs, events, issues, onboarding" },
  people: { name: "People", may: "reveals and erases personal data" },
  admin: { name: "Admin", may: "manages operators and integrations, reads the audit log" },
};

/** Whether the operator's role includes the one that the document gives an operation. The platform checks it too; here it decides what is offered. */
export function may(operation: keyof typeof scopes): boolean {
  const [needed] = scopes[operation];
  return me.value != null && ROLE_NAMES.indexOf(me.value.role) >= ROLE_NAMES.indexOf(needed);
}

/** Shows the sign-in page. */
export function leave(because?: string): void {
  signedOutBecause.value = because;
  me.value = null;
}
