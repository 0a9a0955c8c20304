import type { Health, HealthCode } from "../../../generated/operations/types.ts";
import { entryOf, healthText } from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../parts/badge.tsx";

/** How bad each state is. */
export const HEALTH_TONES = {
  reachable: "good",
  unreachable: "bad",
  rate_limited: "warn",
  token_rejected: "bad",
  implausible: "bad",
  mass_disappearance: "bad",
} satisfies Record<HealthCode, Tone>;

/** How the provider behaves. */
export function HealthBadge({ health }: { health: Health }) {
  return <Badge tone={entryOf<Tone>(HEALTH_TONES, health.code) ?? "plain"}>{healthText(health).title}</Badge>;
}
