import type { Competence, Discovery, Mappings, Workplace } from "../../../generated/operations/types.ts";

/** Outlets and workplaces, or roles and competences: what is mapped is told apart by nothing else. */
export interface Mappable {
  /** The provider's. */
  id: string;
  name: string;
  address?: string;
  /** What is stored; undefined while it is not mapped. */
  mappedTo?: string;
  suggestions: { id: string; name: string; score: number }[];
}

/** What of ours it can be mapped to. */
export interface Target {
  id: string;
  name: string;
  address?: string;
}

/** What was chosen and is not saved: the id of ours by the provider's. */
export type Choices = Readonly<Record<string, string>>;

export interface Draft {
  outlets: Choices;
  roles: Choices;
}

export const NO_CHOICES: Draft = { outlets: {}, roles: {} };

export function mappableOutlets({ outlets }: Discovery): Mappable[] {
  return outlets.map(({ outletId, name, address, workplaceId, suggestions }) => ({
    id: outletId,
    name,
    ...(address && { address }),
    ...(workplaceId && { mappedTo: workplaceId }),
    suggestions: suggestions.map((each) => ({ ...each, id: each.workplaceId })),
  }));
}

export function mappableRoles({ roles }: Discovery): Mappable[] {
  return roles.map(({ roleId, name, competenceId, suggestions }) => ({
    id: roleId,
    name,
    ...(competenceId && { mappedTo: competenceId }),
    suggestions: suggestions.map((each) => ({ ...each, id: each.competenceId })),
  }));
}

export function workplaceTargets(workplaces: readonly Workplace[]): Target[] {
  return workplaces.map(({ workplaceId, name, address }) => ({
    id: workplaceId,
    name,
    ...(address && { address }),
  }));
}

export function competenceTargets(competences: readonly Competence[]): Target[] {
  return competences.map(({ competenceId, name }) => ({ id: competenceId, name }));
}

/** To choose what is stored is no change. */
export function choose(choices: Choices, { id, mappedTo }: Mappable, target: string): Choices {
  const { [id]: _before, ...others } = choices;
  return target === "" || target === mappedTo ? others : { ...others, [id]: target };
}

/** How many are not saved. */
export function unsaved({ outlets, roles }: Draft): number {
  return Object.keys(outlets).length + Object.keys(roles).length;
}

/** Only what was changed: somebody else may map the rest at the same time. */
export function toMappings({ outlets, roles }: Draft): Mappings {
  return {
    outlets: Object.entries(outlets).map(([outletId, workplaceId]) => ({ outletId, workplaceId })),
    roles: Object.entries(roles).map(([roleId, competenceId]) => ({ roleId, competenceId })),
  };
}

/** Those that are neither mapped nor chosen. */
export function stillOpen(items: readonly Mappable[], choices: Choices): Mappable[] {
  return items.filter(({ id, mappedTo }) => mappedTo === undefined && choices[id] === undefined);
}
