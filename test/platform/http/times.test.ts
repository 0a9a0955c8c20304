import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { useTenants } from "../../harness/tenants.ts";

/** In the form of the documents, and before year 1 or after year 9999 in UTC: no engine reads all of them. */
const BEYOND = [
  "0000-01-01T00:00:00Z",
  "0000-12-31t23:59:59.999z",
  "0001-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59-23:59",
];
const AT_THE_EDGE = [
  "0001-01-01T00:00:00Z",
  "0000-12-31T23:59:59-23:59",
  "9999-12-31T23:59:59.999999999Z",
  "2024-02-29T23:59:59.123456789+23:59",
];

describe.each(engines)("a time in a request, on %s", (engine) => {
  const harness = useTenants(engine);
  const replay = (since: string) =>
    harness().operate("POST", "/events/replay", { providerId: harness().tenant.providerId, since });

  it.each(BEYOND)("is refused where it cannot be stored: %s", async (time) => {
    expect(pointersOf(expectProblem(await replay(time), "validation_failed"))).toEqual(["/since"]);
    const change = { startTime: time, endTime: time };
    const answer = await harness().operate("PATCH", `/jobs/${randomUUID()}`, change);
    expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual(["/startTime", "/endTime"]);
  });

  it.each(AT_THE_EDGE)("is accepted up to the limit: %s", async (time) => {
    expect(await replay(time)).toMatchObject({ status: 202, body: { queued: 0 } });
  });
});
