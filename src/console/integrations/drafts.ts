import { signal } from "@preact/signals";
import { type Draft, NO_CHOICES } from "./mapping.ts";

/** The unsaved choices by providerId. They survive a visit to another page. */
const drafts = signal<Readonly<Record<string, Draft>>>({});

export function draftOf(providerId: string): Draft {
  return drafts.value[providerId] ?? NO_CHOICES;
}

export function changeDraft(providerId: string, change: (draft: Draft) => Draft): void {
  drafts.value = { ...drafts.value, [providerId]: change(draftOf(providerId)) };
}
