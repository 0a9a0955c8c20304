import type { FailureCode } from "../../../generated/operations/types.ts";
import { type Failure, type Refused, type Unavailable, unavailable } from "../../clients/provider/answer.ts";
import type { PersonFault } from "../db/schema.ts";
import { nextRung } from "../work/ladder.ts";

/** The provider's response about a person. */
export type Answer =
  | { kind: "found"; ids: readonly string[] }
  | { kind: "created"; id: string }
  /** The create returned 409: the provider already knows the person. */
  | { kind: "exists" }
  | Failure;

export interface PersonFacts {
  /** When a create was sent whose outcome is unknown. Milliseconds since 1970. */
  createSentAt: number | null;
  /** Whether the look-up after an `exists` found no match. */
  existsUnseen: boolean;
  /** The provider has created someone, and why its response does not say as whom. */
  created: FailureCode | null;
  /** Whether the provider may no longer know the stored id. */
  isForgotten: boolean;
  /** The id that the person keeps if look-ups find no other. */
  keptId: string | null;
  /** When the provider did not know the stored id. Milliseconds since 1970. */
  forgottenAt: number | null;
}

export type PersonStep =
  | { do: "know"; id: string; how: "found" | "created" }
  | { do: "look_up" }
  | { do: "create" }
  | { do: "give_up"; fault: PersonFault }
  | { do: "pause"; refused: Refused }
  /** `isCreated`: the provider has created someone, although the call failed. */
  | { do: "retry"; failure: Unavailable; isCreated: boolean }
  /** A look-up without a match does not count yet: a create may still take effect, or a replica lags. Milliseconds. */
  | { do: "wait"; ms: number };

/** Milliseconds. */
export interface PersonTimes {
  callTimeoutMs: number;
  ladderMs: readonly number[];
}

/**
 * Returns the next step to identify a person at the provider: look up, then create. After a create with an unknown outcome it waits one time-out
 * and looks up before it creates again; after one that created someone, it only looks up. Someone whom the provider knew is missing only at the end of the
 * ladder. Pure.
 */
export function planPerson(
  { createSentAt, existsUnseen, created, isForgotten, keptId, forgottenAt }: PersonFacts,
  answer: Answer | undefined,
  now: number,
  { callTimeoutMs, ladderMs }: PersonTimes,
): PersonStep {
  if (!answer) return { do: "look_up" };
  switch (answer.kind) {
    case "found": {
      const [first, ...others] = answer.ids;
      const isKept = isForgotten && keptId !== null && answer.ids.includes(keptId);
      if (isKept) return { do: "know", id: keptId, how: "found" };
      if (others.length > 0)
        return { do: "give_up", fault: { kind: "ambiguous", matches: answer.ids.length } };
      if (first !== undefined) return { do: "know", id: first, how: "found" };
      if (existsUnseen)
        return { do: "give_up", fault: { kind: "refused", status: 409, code: "candidate_exists" } };
      if (isForgotten && keptId !== null) {
        const at = nextRung(forgottenAt ?? 0, now, ladderMs);
        return at === undefined ? { do: "know", id: keptId, how: "found" } : { do: "wait", ms: at - now };
      }
      // A single look-up without a match may be stale. The next accept creates the person.
      if (isForgotten)
        return { do: "give_up", fault: { kind: "refused", status: 404, code: "candidate_not_found" } };
      if (created !== null)
        return {
          do: "retry",
          failure: unavailable(created, "the created person is not found"),
          isCreated: true,
        };
      // The call itself took up to one time-out, and may take effect after it was cut.
      const leftMs = createSentAt === null ? 0 : 2 * callTimeoutMs - Math.max(0, now - createSentAt);
      return leftMs > 0 ? { do: "wait", ms: leftMs } : { do: "create" };
    }
    case "created":
      return { do: "know", id: answer.id, how: "created" };
    case "exists":
      return { do: "look_up" };
    case "refused": {
      if (answer.status === 401 || answer.status === 403) return { do: "pause", refused: answer };
      const code = answer.code === undefined ? {} : { code: answer.code };
      return { do: "give_up", fault: { kind: "refused", status: answer.status, ...code } };
    }
    case "unavailable":
      return { do: "retry", failure: answer, isCreated: hasCreated(answer) };
  }
}

/** Why a person has no id and none is sought. */
export type FinalFault = Exclude<PersonFault, { kind: "forgotten" | "created" }>;

export const isFinal = (fault: PersonFault): fault is FinalFault =>
  fault.kind !== "forgotten" && fault.kind !== "created";

/** Whether the call was a create that had its effect: only its response cannot be used. */
const hasCreated = ({ status = 0 }: Unavailable): boolean => status >= 200 && status < 300;

/** Whether a create certainly had no effect: it was not sent, or was refused. A look-up proves nothing about an earlier create. */
export const createHadNoEffect = (
  asked: "look_up" | "create" | undefined,
  answer: Answer | undefined,
): boolean =>
  asked === "create" &&
  (answer?.kind === "refused" ||
    (answer?.kind === "unavailable" && (answer.notAsked === true || answer.status === 429)));
