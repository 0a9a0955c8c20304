import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromTraceparent, toTraceparent, traceHeaders } from "../../src/contract/trace.ts";

const TRACE_ID = "0af76519-16cd-43dd-8448-eb211c80319c";
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const parentId = () => "00f067aa0ba902b7";

describe("traceHeaders", () => {
  it("sends the traceId twice: as it is, and as W3C Trace Context", () => {
    expect(traceHeaders(TRACE_ID, parentId)).toEqual({ "X-Trace-Id": TRACE_ID, traceparent: TRACEPARENT });
  });

  it("writes traceparent in lower case, and X-Trace-Id as it came", () => {
    const upper = TRACE_ID.toUpperCase();
    expect(traceHeaders(upper, parentId)).toEqual({ "X-Trace-Id": upper, traceparent: TRACEPARENT });
  });

  it.each(["", "order-17", "0af7651916cd43dd8448eb211c80319c", "00000000-0000-0000-0000-000000000000"])(
    "gives %j no traceparent",
    (traceId) => {
      expect(traceHeaders(traceId, parentId)).toEqual({ "X-Trace-Id": traceId });
    },
  );

  it("holds only what fetch accepts as a header, whatever the traceId is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (traceId) => {
        expect(() => new Headers({ ...traceHeaders(traceId) })).not.toThrow();
      }),
    );
  });

  it("takes a new random parent id for every call", () => {
    const [first, second] = [toTraceparent(TRACE_ID), toTraceparent(TRACE_ID)];
    expect(first).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(second).not.toBe(first);
  });
});

describe("fromTraceparent", () => {
  it("gives back every traceId", () => {
    fc.assert(
      fc.property(fc.uuid(), (traceId) => {
        expect(fromTraceparent(toTraceparent(traceId, parentId) ?? "")).toBe(traceId);
      }),
    );
  });

  it.each([
    "",
    TRACE_ID,
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-00`,
    TRACEPARENT.replace(/^00/, "ff"),
    TRACEPARENT.replace("00f067aa0ba902b7", "0000000000000000"),
    TRACEPARENT.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  ])("refuses %j", (header) => {
    expect(fromTraceparent(header)).toBeUndefined();
  });
});
