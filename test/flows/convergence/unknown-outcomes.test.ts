import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { carriedOut, TIMEOUT_MS, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

describe.each(engines)("a call whose outcome is unknown, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("creates a person once when the creation takes effect after the connection was cut", async () => {
    const { provider, ...platform } = await onboard();
    const jobs = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    provider.setFault("create-late", { lateMs: 0.6 * TIMEOUT_MS, times: 1 });
    await Promise.all(jobs.map((job) => platform.book(job, person)));
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    const created = provider.candidates.filter((each) => each.personalNumber === person.personalNumber);
    expect(created).toHaveLength(1);
    expect([platform.callCount("POST", "/candidates"), carriedOut(platform, /\/assign\//)]).toEqual([1, 2]);
    expect(await platform.issueCodes()).toEqual([]);
  });

  it("withdraws a person from one shift while another shift waits for a Retry-After", async () => {
    const { provider, ...platform } = await onboard();
    const [job, waiting] = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    await platform.book(job, person);
    provider.setFault("unavailable", { operations: ["assignCandidate"], retryAfter: "600", times: 1 });
    expect(await platform.accept(waiting, person)).toEqual({ status: 202, code: "pending" });
    expect(platform.calls.filter(({ status }) => status === 503)).toHaveLength(1);
    await platform.withdraw(job, person);
    const withdrawn = async () => (await platform.booking(job, person))?.status;
    await expect.poll(withdrawn).toBe("released");
    expect(provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect((await platform.booking(waiting, person))?.status).toBe("pending");
  });
});
