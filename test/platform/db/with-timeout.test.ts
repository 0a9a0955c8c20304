import { expect, it } from "vitest";
import { withTimeout } from "../../../src/platform/db/with-timeout.ts";

it("a result, or a failure, within the time limit is passed on", async () => {
  expect(await withTimeout(Promise.resolve(1))).toBe(1);
  await expect(withTimeout(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("a result that does not arrive within the time limit is a rejection", async () => {
  await expect(withTimeout(new Promise(() => undefined), 1)).rejects.toThrow("no response within 1 ms");
});
