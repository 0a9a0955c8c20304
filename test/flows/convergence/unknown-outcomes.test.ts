import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";
import { TIMEOUT_MS } from "./pace.ts";
import type { Provider } from "./provider.ts";

const countOf = ({ effects }: Provider, wanted: string) =>
  effects.filter(({ kind }) => kind === wanted).length;

describe.each(engines)("a call whose outcome is unknown, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it("creates a person once when the creation takes effect after the connection was cut", async () => {
    const { provider, ...platform } = await onboard();
    const jobs = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    provider.fault({ kind: "no-duplicate-detection" });
    const cut = provider.fault(
      { kind: "late", afterMs: 0.6 * TIMEOUT_MS },
      { on: "createCandidate", times: 1 },
    );
    await Promise.all(jobs.map((job) => platform.book(job, person)));
    expect(cut.hits).toBe(1);
    await provider.settled();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(provider.candidates).toMatchObject([{ personalNumber: person.personalNumber }]);
    expect([countOf(provider, "create"), countOf(provider, "assign")]).toEqual([1, 2]);
    expect(await platform.issueCodes()).toEqual([]);
  });

  it("withdraws a person from one shift while another shift waits for a Retry-After", async () => {
    const { provider, ...platform } = await onboard();
    const [job, waiting] = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    await platform.book(job, person);
    const { shiftId } = waiting;
    const silence = provider.fault(
      { kind: "status", status: 503, retryAfter: "600" },
      { shiftId, on: "assign" },
    );
    expect(await platform.accept(waiting, person)).toEqual({ status: 202, code: "pending" });
    expect(silence.hits).toBe(1);
    await platform.withdraw(job, person);
    const withdrawn = async () => (await platform.booking(job, person))?.status;
    await expect.poll(withdrawn).toBe("released");
    expect(provider.shift(job.shiftId)?.assigned).toEqual([]);
    expect((await platform.booking(waiting, person))?.status).toBe("pending");
  });
});
