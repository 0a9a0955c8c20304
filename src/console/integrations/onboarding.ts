import type { Integration, MappingProgress } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";

export type StepName = "registered" | "read" | "mapped" | "active";

export interface Step {
  name: StepName;
  title: string;
  isDone: boolean;
  /** The progress of the step, or what it needs. */
  detail: string;
}

const NOTHING_READ: MappingProgress = { outlets: 0, mappedOutlets: 0, roles: 0, mappedRoles: 0 };

/** From registering an organisation to an active integration (contract section 1, "Entity mapping before activation"). */
export function stepsOf({ state, mapping = NOTHING_READ }: Pick<Integration, "state" | "mapping">): Step[] {
  const isRead = mapping.outlets > 0 && mapping.roles > 0;
  const open = unmapped(mapping);
  return [
    {
      name: "registered",
      title: "Registered, tokens exchanged",
      isDone: true,
      detail: "The provider sends webhooks with the platform token.",
    },
    {
      name: "read",
      title: "Outlets and roles read",
      isDone: isRead,
      detail: read(mapping, isRead),
    },
    {
      name: "mapped",
      title: "Mapped to workplaces and competences",
      isDone: isRead && open === 0,
      detail: isRead ? mapped(mapping, open) : "After outlets and roles are read.",
    },
    {
      name: "active",
      title: "Active",
      isDone: state === "active",
      detail:
        state === "active"
          ? "Webhooks are processed."
          : "Stored webhooks are processed after the activation.",
    },
  ];
}

/** The first open step; undefined when all are done. Activating again requires no mapping (operations document). */
export function nextStep({ state }: Pick<Integration, "state">, steps: readonly Step[]): Step | undefined {
  return steps.find(({ isDone, name }) => !isDone && (state !== "suspended" || name === "active"));
}

/** How many outlets and roles have no workplace or competence. */
export const unmapped = (mapping = NOTHING_READ): number =>
  mapping.outlets - mapping.mappedOutlets + mapping.roles - mapping.mappedRoles;

function read({ outlets, roles }: MappingProgress, isRead: boolean): string {
  if (outlets + roles === 0) return "The platform calls GET /outlets and GET /roles.";
  const counts = `${counted(outlets, "outlet")}, ${counted(roles, "role")}.`;
  return isRead ? counts : `${counts} Both are required.`;
}

function mapped({ outlets, roles }: MappingProgress, open: number): string {
  const all = outlets + roles;
  return open === 0 ? `All ${all}.` : `${all - open} of ${all}; jobs of the others are blocked.`;
}
