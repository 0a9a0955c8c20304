import type * as crypto from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("node:crypto");
  vi.resetModules();
});

it("compares digests of one length in constant time, whatever is given", async () => {
  const real = await vi.importActual<typeof crypto>("node:crypto");
  const timingSafeEqual = vi.fn(real.timingSafeEqual);
  vi.resetModules();
  vi.doMock("node:crypto", () => ({ ...real, timingSafeEqual }));
  const { isSameToken } = await import("../../../src/runtime/bearer-token.ts");
  const token = "an-operations-token";
  const given = ["", "a", "an-operations-tokem", `${token}-and-more`, token];
  expect(given.map((each) => isSameToken(each, token))).toEqual([false, false, false, false, true]);
  const compared = timingSafeEqual.mock.calls;
  expect(compared.map(([one, other]) => [one.byteLength, other.byteLength])).toEqual(
    given.map(() => [32, 32]),
  );
});
