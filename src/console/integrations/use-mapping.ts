import { useEffect } from "preact/hooks";
import type { DiscoveryFault } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames } from "../data/names.ts";
import { readPages } from "../data/pages.ts";
import { type Action, useAction } from "../data/use-action.ts";
import {
  changeDraft,
  choose,
  type Draft,
  draftOf,
  type Mappable,
  type MappedLists,
  NO_CHOICES,
  stillOpen,
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
  lists: MappedLists;
  /** Adds a workplace or a competence with the name of the item, and saves the mapping to it. */
  add: Action<[kind: keyof Draft, item: Mappable]>;
  /** The same of everything that the search finds and that is not mapped, chosen or similar to a known one. */
  addAll: Action<[kind: keyof Draft]>;
  save: Action<[]>;
  discover: Action<[]>;
}

export function useMapping(
  { integration: { providerId }, reload }: Organisation,
  lists: MappedLists,
): Mapping {
  const draft = draftOf(providerId);
  const path = { providerId };
  const chooseOne = (kind: keyof Draft, item: Mappable, target: string) =>
    changeDraft(providerId, (before) => ({ ...before, [kind]: choose(before[kind], item, target) }));
  const saveMappings = (mapped: Draft) =>
    ask(api.updateMappings({ params: { path }, body: toMappings(mapped) }));
  const discard = () => changeDraft(providerId, () => NO_CHOICES);
  const addTargets = async (kind: keyof Draft, items: readonly Mappable[]) => {
    try {
      for (let from = 0; from < items.length; from += BATCH) {
        const batch = items.slice(from, from + BATCH);
        const outcomes = await Promise.allSettled(batch.map(({ id, ...item }) => addTarget(kind, id, item)));
        const added = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        // Also where one could not be added: the others would be added again.
        await saveMappings({ ...NO_CHOICES, [kind]: Object.fromEntries(added) });
        const failed = outcomes.find((each) => each.status === "rejected");
        if (failed) throw failed.reason;
      }
    } finally {
      await reloadNames();
      reload();
    }
    return `${counted(items.length, "mapping")} saved`;
  };
  const add = useAction((kind: keyof Draft, item: Mappable) => addTargets(kind, [item]));
  const addAll = useAction(async (kind: keyof Draft) => {
    const { items } = await readPages(lists[kind].readUnmapped);
    const unknown = stillOpen(items, draft[kind]).filter(({ suggestions }) => suggestions.length === 0);
    return addTargets(kind, unknown);
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
  return { draft, unsaved: unsaved(draft), lists, choose: chooseOne, discard, add, addAll, save, discover };
}

const faultText = ({ list, entry, reason }: DiscoveryFault) => `${list}, entry ${entry}: ${reason}`;

/** Added at the same time, and mapped together. */
const BATCH = 100;

/** The id of the item, and that of what was added. */
async function addTarget(
  kind: keyof Draft,
  id: string,
  { name, address }: Pick<Mappable, "name" | "address">,
): Promise<[string, string]> {
  if (kind === "roles") return [id, (await ask(api.createCompetence({ body: { name } }))).competenceId];
  const body = { name, ...(address && { address }) };
  return [id, (await ask(api.createWorkplace({ body }))).workplaceId];
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
