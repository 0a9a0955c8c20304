import { signal } from "@preact/signals";
import type { Me, Role } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { onMessage } from "../data/live.ts";
import { ask } from "../data/trouble.ts";

/** The operator who is signed in; undefined until it is read. */
export const me = signal<Me | undefined>(undefined);

/** Each role includes the ones before it. */
export const ROLES = ["viewer", "operator", "people", "admin"] as const satisfies readonly Role[];

/** Whether the operator has the role. The platform checks it too; here it decides what is offered. */
export function may(role: Role): boolean {
  return me.value !== undefined && ROLES.indexOf(me.value.role) >= ROLES.indexOf(role);
}

/** Reads who is signed in, and reads it again after a gap; returns how to stop that. */
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
