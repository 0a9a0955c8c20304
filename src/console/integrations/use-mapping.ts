import { useEffect } from "preact/hooks";
import type { DiscoveryFault } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";
import {
  changeDraft,
  choose,
  type Draft,
  draftOf,
  type Mappable,
  NO_CHOICES,
  toMappings,
  unsaved,
} from "./mapping.ts";
import type { Organisation } from "./use-integration.ts";

/** The unsaved mapping, and its actions. */
export interface Mapping {
  draft: Draft;
  unsaved: number;
  choose(kind: keyof Draft, item: Mappable, target: string): void;
  discard(): void;
  /** Adds a workplace or a competence with the name of each item, and saves the mapping to it. */
  add: Action<[kind: keyof Draft, items: Mappable[]]>;
  save: Action<[]>;
  discover: Action<[]>;
}

export function useMapping({ integration: { providerId }, reload }: Organisation): Mapping {
  const draft = draftOf(providerId);
  const path = { providerId };
  const chooseOne = (kind: keyof Draft, item: Mappable, target: string) =>
    changeDraft(providerId, (before) => ({ ...before, [kind]: choose(before[kind], item, target) }));
  const saveMappings = (mapped: Draft) =>
    ask(api.updateMappings({ params: { path }, body: toMappings(mapped) }));
  const discard = () => changeDraft(providerId, () => NO_CHOICES);
  const add = useAction(async (kind: keyof Draft, items: Mappable[]) => {
    const added: Record<string, string> = {};
    try {
      for (const item of items) added[item.id] = await addTarget(kind, item);
    } finally {
      // Also where one could not be added: the others would be added again.
      await saveMappings({ ...NO_CHOICES, [kind]: added });
      await reloadNames();
      reload();
    }
    return `${counted(items.length, "mapping")} saved`;
  });
  const save = useAction(async () => {
    await saveMappings(draft);
    discard();
    reload();
    return `${counted(unsaved(draft), "mapping")} saved`;
  });
  const discover = useAction(async () => {
    const { outlets, roles, faults = [] } = await ask(api.discoverIntegration({ params: { path } }));
    reload();
    const read = `${counted(outlets.length, "outlet")} and ${counted(roles.length, "role")} read from the provider`;
    return [read, ...faults.map(faultText)].join("; ");
  });
  useWarningBeforeLoss(unsaved(draft) > 0);
  return { draft, unsaved: unsaved(draft), choose: chooseOne, discard, add, save, discover };
}

const faultText = ({ list, entry, reason }: DiscoveryFault) => `${list}, entry ${entry}: ${reason}`;

async function addTarget(kind: keyof Draft, { name, address }: Mappable): Promise<string> {
  if (kind === "roles") return (await ask(api.createCompetence({ body: { name } }))).competenceId;
  const body = { name, ...(address && { address }) };
  return (await ask(api.createWorkplace({ body }))).workplaceId;
}

/** Warns before the tab is closed or reloaded. */
function useWarningBeforeLoss(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isUnsaved]);
}
