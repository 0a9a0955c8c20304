import type { Health, Integration } from "../../../generated/operations/types.ts";
import { healthText } from "../../contract/operator-text.ts";
import { Badge } from "../components/badge.tsx";
import { toneOf } from "./health.ts";
import { STATES } from "./labels.ts";

/** How the provider behaves. */
export function HealthBadge({ health }: { health: Health }) {
  return <Badge tone={toneOf(health.code)}>{healthText(health).title}</Badge>;
}

export function StateBadge({ state }: Pick<Integration, "state">) {
  return <Badge tone={STATES[state].tone}>{STATES[state].name}</Badge>;
}
