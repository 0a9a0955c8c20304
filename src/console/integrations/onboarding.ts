import type { Discovery, Integration } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";

export type StepName = "registered" | "read" | "mapped" | "active";

export interface Step {
  name: StepName;
  title: string;
  isDone: boolean;
  /** The progress of the step, or what it needs. */
  detail: string;
}

/** From registering an organisation to an active integration (contract section 1, "Entity mapping before activation"). */
export function stepsOf({ state }: Pick<Integration, "state">, discovery: Discovery): Step[] {
  const isRead = discovery.outlets.length > 0 && discovery.roles.length > 0;
  const open = unmapped(discovery);
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
      detail: read(discovery, isRead),
    },
    {
      name: "mapped",
      title: "Mapped to workplaces and competences",
      isDone: isRead && open === 0,
      detail: isRead ? mapped(discovery, open) : "After outlets and roles are read.",
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
export function unmapped({ outlets, roles }: Discovery): number {
  return (
    outlets.filter(({ workplaceId }) => workplaceId === undefined).length +
    roles.filter(({ competenceId }) => competenceId === undefined).length
  );
}

function read({ outlets, roles }: Discovery, isRead: boolean): string {
  if (outlets.length + roles.length === 0) return "The platform calls GET /outlets and GET /roles.";
  const counts = `${counted(outlets.length, "outlet")}, ${counted(roles.length, "role")}.`;
  return isRead ? counts : `${counts} Both are required.`;
}

function mapped({ outlets, roles }: Discovery, open: number): string {
  const all = outlets.length + roles.length;
  return open === 0 ? `All ${all}.` : `${all - open} of ${all}; jobs of the others are blocked.`;
}
