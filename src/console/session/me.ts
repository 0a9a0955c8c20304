import { signal } from "@preact/signals";
import type { Me, Role } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";

/** The operator who is signed in; undefined until it is read. */
export const me = signal<Me | undefined>(undefined);

export const ROLES: Readonly<Record<Role, { name: string; may: string }>> = {
  viewer: { name: "Viewer", may: "reads, with masked personal data" },
  operator: { name: "Operator", may: "does the daily work: people, jobs, events, issues, onboarding" },
  people: { name: "People", may: "reveals and erases personal data" },
  admin: { name: "Admin", may: "manages operators and integrations, reads the audit log" },
};

/** Whether the operator has the role. The platform checks it too; here it decides what is offered. */
export function may(role: Role): boolean {
  return me.value !== undefined && ROLE_NAMES.indexOf(me.value.role) >= ROLE_NAMES.indexOf(role);
}

/** Reads who is signed in, now and after each gap in the stream; returns how to stop that. */
export function followMe(): () => void {
  me.value = undefined;
  const read = () =>
    void ask(api.getMe()).then(
      (read) => (me.value = read),
      () => undefined,
    );
  read();
  return onMessage(({ type }) => type === "gap" && read());
}
