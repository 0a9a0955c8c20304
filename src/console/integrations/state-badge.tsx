import type { Integration } from "../../../generated/operations/types.ts";
import { Badge } from "../parts/badge.tsx";
import { STATES } from "./labels.ts";

export function StateBadge({ state }: Pick<Integration, "state">) {
  return <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>;
}
