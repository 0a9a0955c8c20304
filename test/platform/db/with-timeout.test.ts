import { expect, it } from "vitest";
import { withTimeout } from "../../../src/platform/db/with-timeout.ts";

it("passes an answer on, and a failure", async () => {
  expect(await withTimeout(Promise.resolve(1))).toBe(1);
  await expect(withTimeout(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("does not wait for an answer that does not come", async () => {
  await expect(withTimeout(new Promise(() => undefined), 1)).rejects.toThrow("no response within 1 ms");
});
