import type { Failure, Refused, Unavailable } from "../../clients/provider/answer.ts";
import type { PersonFault } from "../db/schema.ts";

/** What the provider said about a person. */
export type Answer =
  | { kind: "found"; ids: readonly string[] }
  | { kind: "created"; id: string }
  /** 409 to the create: the provider knows the person after all. */
  | { kind: "exists" }
  | Failure;

export interface PersonFacts {
  /** A create was sent and its outcome is not known. Milliseconds since 1970. */
  createSentAt: number | null;
  /** The look-up that follows an `exists` found no one. */
  existsUnseen: boolean;
  /** The provider does not know the id any more that was stored. */
  isForgotten: boolean;
}

export type PersonStep =
  | { do: "know"; id: string; how: "found" | "created" }
  | { do: "look_up" }
  | { do: "create" }
  | { do: "give_up"; fault: PersonFault }
  | { do: "pause"; refused: Refused }
  | { do: "retry"; failure: Unavailable }
  /** A create may still take effect: only after one time-out is a look-up that finds no one believed. Milliseconds. */
  | { do: "wait"; ms: number };

/**
 * Who the person is at the provider: found, or created once. After a create with an unknown outcome it waits one time-out and looks up before it
 * creates again. Pure.
 */
export function planPerson(
  { createSentAt, existsUnseen, isForgotten }: PersonFacts,
  answer: Answer | undefined,
  now: number,
  timeoutMs: number,
): PersonStep {
  if (!answer) return { do: "look_up" };
  switch (answer.kind) {
    case "found": {
      const [first, ...others] = answer.ids;
      if (others.length > 0)
        return { do: "give_up", fault: { kind: "ambiguous", matches: answer.ids.length } };
      if (first !== undefined) return { do: "know", id: first, how: "found" };
      if (existsUnseen)
        return { do: "give_up", fault: { kind: "refused", status: 409, code: "candidate_exists" } };
      // One look-up that finds no one may be stale: the next accept creates the person.
      if (isForgotten)
        return { do: "give_up", fault: { kind: "refused", status: 404, code: "candidate_not_found" } };
      // The call itself lasted up to one time-out, and may take effect after it was cut.
      const leftMs = createSentAt === null ? 0 : 2 * timeoutMs - Math.max(0, now - createSentAt);
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
      return { do: "retry", failure: answer };
  }
}

/** A create was not sent, or was refused. What a look-up comes to says nothing of a create before it, which may still take effect. */
export const hadNoEffect = (asked: "look_up" | "create" | undefined, answer: Answer | undefined): boolean =>
  asked === "create" &&
  (answer?.kind === "refused" ||
    (answer?.kind === "unavailable" && (answer.notAsked === true || answer.status === 429)));
