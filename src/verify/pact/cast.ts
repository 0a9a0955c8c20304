import { bookableId, personOf, prepare, secondOf } from "../person.ts";
import type { Run } from "../run.ts";

/** The test people of a replay on the shift that may be cancelled are others than those of the checks: who is where can be told apart. */
export async function castOf(run: Run): Promise<{ first: string | undefined; second: string | undefined }> {
  const [person, hired] = [await bookableId(personOf(run)), await bookableId(secondOf(run))];
  run.known.third ??= createThird(run);
  const third = await run.known.third;
  const [first, second] = [hired, third, person].filter((id) => id !== undefined);
  return { first, second };
}

async function createThird(run: Run): Promise<string | undefined> {
  return run.mayChange ? (await prepare(run, "once")).candidateId : undefined;
}
