import { afterAll, beforeAll } from "vitest";
import { type Replay, type Replayer, startReplayer } from "../../src/verify/pact/replayer.ts";

/** Descriptions of the interactions that were replayed, and what is wrong with those that were not honoured. */
export interface Verdict {
  honoured: string[];
  /** Where and what, as Pact says it. */
  broken: Record<string, string[]>;
}

/** Pact's verifier in one process for the whole file around the call. */
export function useVerifier(): (replay: Replay) => Promise<Verdict> {
  let replayer: Replayer;
  beforeAll(() => {
    replayer = startReplayer({ stderr: "inherit" });
  });
  afterAll(() => replayer.close());

  return async (replay) => {
    const { honoured, broken } = await replayer.replay(replay);
    const said = Object.entries(broken).map(([description, mismatches]) => [
      description,
      mismatches.map(({ path, mismatch }) => `${path ?? ""} ${mismatch}`.trim()),
    ]);
    return { honoured, broken: Object.fromEntries(said) };
  };
}
