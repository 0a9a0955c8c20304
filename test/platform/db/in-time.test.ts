import { expect, it } from "vitest";
import { inTime } from "../../../src/platform/db/in-time.ts";

it("passes an answer on, and a failure", async () => {
  expect(await inTime(Promise.resolve(1))).toBe(1);
  await expect(inTime(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("does not wait for an answer that does not come", async () => {
  await expect(inTime(new Promise(() => undefined), 1)).rejects.toThrow("no answer within 1 ms");
});
