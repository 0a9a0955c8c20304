import { signal } from "@preact/signals";
import type {
  Competence,
  DiscoveredOutlet,
  DiscoveredRole,
  Mappings,
  Workplace,
} from "../../../generated/operations/types.ts";

/** An outlet or a role of the provider. */
export interface Mappable {
  /** At the provider. */
  id: string;
  name: string;
  address?: string;
  /** The stored mapping; undefined without one. */
  mappedTo?: string;
  suggestions: { id: string; name: string; score: number }[];
}

/** A workplace or a competence of the platform. */
export interface Target {
  id: string;
  name: string;
  address?: string;
}

/** The unsaved choices: the id on the platform by the id at the provider. */
export type Choices = Readonly<Record<string, string>>;

export interface Draft {
  outlets: Choices;
  roles: Choices;
}

export const NO_CHOICES: Draft = { outlets: {}, roles: {} };

/** The unsaved choices by providerId. They survive a visit to another page. */
const drafts = signal<Readonly<Record<string, Draft>>>({});

export function draftOf(providerId: string): Draft {
  return drafts.value[providerId] ?? NO_CHOICES;
}

export function changeDraft(providerId: string, change: (draft: Draft) => Draft): void {
  drafts.value = { ...drafts.value, [providerId]: change(draftOf(providerId)) };
}

export const mappableOutlet = ({
  outletId,
  workplaceId,
  suggestions,
  ...rest
}: DiscoveredOutlet): Mappable => ({
  id: outletId,
  ...namesOf(rest),
  ...(workplaceId && { mappedTo: workplaceId }),
  suggestions: suggestions.map((each) => ({ ...each, id: each.workplaceId })),
});

export const mappableRole = ({ roleId, name, competenceId, suggestions }: DiscoveredRole): Mappable => ({
  id: roleId,
  name,
  ...(competenceId && { mappedTo: competenceId }),
  suggestions: suggestions.map((each) => ({ ...each, id: each.competenceId })),
});

const namesOf = ({ name, address }: { name: string; address: string | null }) => ({
  name,
  ...(address && { address }),
});

export function workplaceTargets(workplaces: readonly Workplace[]): Target[] {
  return workplaces.map(({ workplaceId, ...rest }) => ({ id: workplaceId, ...namesOf(rest) }));
}

export function competenceTargets(competences: readonly Competence[]): Target[] {
  return competences.map(({ competenceId, name }) => ({ id: competenceId, name }));
}

/** A choice that equals the stored mapping is no change. */
export function choose(choices: Choices, { id, mappedTo }: Mappable, target: string): Choices {
  const { [id]: _before, ...others } = choices;
  return target === "" || target === mappedTo ? others : { ...others, [id]: target };
}

/** The number of unsaved choices. */
export function unsaved({ outlets, roles }: Draft): number {
  return Object.keys(outlets).length + Object.keys(roles).length;
}

/** The changed mappings only: another operator may map the rest at the same time. */
export function toMappings({ outlets, roles }: Draft): Mappings {
  return {
    outlets: Object.entries(outlets).map(([outletId, workplaceId]) => ({ outletId, workplaceId })),
    roles: Object.entries(roles).map(([roleId, competenceId]) => ({ roleId, competenceId })),
  };
}

/** The items without a mapping and without a choice. */
export function stillOpen(items: readonly Mappable[], choices: Choices): Mappable[] {
  return items.filter(({ id, mappedTo }) => mappedTo === undefined && choices[id] === undefined);
}
