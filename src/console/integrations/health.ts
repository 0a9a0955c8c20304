import type { HealthCode } from "../../../generated/operations/types.ts";
import { entryOf, HEALTH_BY_GRAVITY } from "../../contract/operator-text.ts";
import type { Tone } from "../components/badge.tsx";
import { oneOf } from "../components/filter.ts";
import { STATE_NAMES } from "./labels.ts";

/** The severity of each state of health. */
const HEALTH_TONES = {
  reachable: "good",
  unreachable: "bad",
  rate_limited: "warn",
  token_rejected: "bad",
  implausible: "bad",
  mass_disappearance: "bad",
  route_missing: "bad",
} satisfies Record<HealthCode, Tone>;

export const HEALTH_FILTER = { health: oneOf(HEALTH_BY_GRAVITY), state: oneOf(STATE_NAMES) };

export const toneOf = (code: HealthCode): Tone => entryOf<Tone>(HEALTH_TONES, code) ?? "plain";
