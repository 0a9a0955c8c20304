import type { Role } from "../../../generated/operations/types.ts";
import { ROLES } from "../session/me.ts";

/** What a role may do, beside what the roles before it may (operations document, "Operators and roles"). */
export const ROLE_NAMES: Record<Role, { name: string; may: string }> = {
  viewer: { name: "Viewer", may: "reads, with masked personal data" },
  operator: { name: "Operator", may: "does the daily work: people, jobs, events, issues, onboarding" },
  people: { name: "People", may: "reveals and erases personal data" },
  admin: { name: "Admin", may: "manages operators and integrations, reads the audit log" },
};

/** The choice of a role. */
export function RoleField({ chosen }: { chosen: Role }) {
  return (
    <fieldset class="routing">
      <legend>Role</legend>
      {ROLES.map((role) => (
        <label key={role}>
          <input type="radio" name="role" value={role} defaultChecked={role === chosen} />
          <span>
            {ROLE_NAMES[role].name} <span class="soft">{ROLE_NAMES[role].may}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export const roleIn = (form: FormData): Role => ROLES.find((role) => role === form.get("role")) ?? "viewer";
