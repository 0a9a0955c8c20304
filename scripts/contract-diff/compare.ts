import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Change, ComparedDocument } from "./change.ts";
import { completeForms, documentsIn, isSame } from "./documents.ts";
import { type Parties, partiesOf } from "./parties.ts";
import { rate } from "./rate.ts";
import { type DiffReport, redoclyDiff } from "./redocly.ts";

/**
 * Compares every document that differs between `base/` and `revision/`, two folders in one place.
 * @throws CannotCompare
 */
export async function compare(folder: string): Promise<ComparedDocument[]> {
  const [base, revision] = [join(folder, "base"), join(folder, "revision")];
  const before = documentsIn(base);
  const now = documentsIn(revision);
  const changed = [...new Set([...before, ...now])].sort().filter((name) => !isSame(name, base, revision));
  const diff = takingTurns(redoclyDiff);
  const compared = changed.map(async (document) => {
    const parties = partiesOf(document);
    if (!now.includes(document)) return removed(document, parties);
    if (!before.includes(document)) return added(document);
    const completing = [base, revision].flatMap((side) => completeForms(join(side, document)));
    return compareDocument(document, parties, completing, (from, to) =>
      diff(folder, `${from}/${document}`, `${to}/${document}`),
    );
  });
  return allOf(compared);
}

type Diff = (from: "base" | "revision", to: "base" | "revision") => Promise<DiffReport>;

async function compareDocument(
  document: string,
  parties: Parties,
  completing: readonly string[],
  diff: Diff,
): Promise<ComparedDocument> {
  const [forward, backward] = await allOf([diff("base", "revision"), diff("revision", "base")]);
  return {
    document,
    version: forward.infoVersions,
    changes: rate(forward.changes, backward.changes, parties, completing),
  };
}

function removed(document: string, { client, server }: Parties): ComparedDocument {
  return whole(document, {
    kind: "breaking",
    breaks: [client, server],
    message: "The document was removed.",
    advice: "Keep it, marked deprecated.",
  });
}

function added(document: string): ComparedDocument {
  return whole(document, { kind: "addition", breaks: [], message: "The document is new." });
}

function whole(
  document: string,
  change: Pick<Change, "kind" | "breaks" | "message" | "advice">,
): ComparedDocument {
  const place = { place: "the document", file: document, line: 1, pointer: "#" };
  return { document, version: {}, changes: [{ ...change, ...place }] };
}

/** Waits for all of them even if one fails: the folder that they read is removed afterwards. */
async function allOf<const T extends readonly Promise<unknown>[]>(running: T) {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/** Runs at most one process per core, because each one is busy all the time. */
function takingTurns<A extends unknown[], R>(run: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  const lanes: Promise<unknown>[] = Array.from({ length: availableParallelism() }, () => Promise.resolve());
  let next = 0;
  return (...args) => {
    const lane = next++ % lanes.length;
    const result = (lanes[lane] ?? Promise.resolve()).then(() => run(...args));
    lanes[lane] = result.catch(() => undefined);
    return result;
  };
}
