import { expect, it } from "vitest";
import { inBatches } from "../../../src/platform/db/in-batches.ts";

it("carries out together what has the same key, in the order in which it was asked for", async () => {
  const batches: (readonly string[])[] = [];
  const throttle = { stored: () => undefined, most: () => 2, pauseMs: () => 0 };
  const work = async (items: readonly string[]) => {
    batches.push(items);
    return items.map((item) => item.toUpperCase());
  };
  const carryOut = inBatches(work, throttle, (item: string) => item[0]);
  const results = await Promise.all(["a1", "b1", "a2", "a3", "b2"].map(carryOut));
  expect(results).toEqual(["A1", "B1", "A2", "A3", "B2"]);
  expect(batches).toEqual([["a1", "a2"], ["b1", "b2"], ["a3"]]);
});
