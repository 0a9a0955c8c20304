import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startStage } from "../../flows/stage.ts";

describe("the log line about a refused call (contract 7.1)", () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });

  it("names the call, its trace, and the status, but never the person", async () => {
    const stage = await startStage("pglite", { log });
    const organisation = await stage.onboard({ dialect: { notFound: "404" } });
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("assign-conflict");
    await organisation.accept(job, person);
    await stage.strike();
    await stage.close();
    const refusals = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "the provider refused a call");
    expect(refusals).toMatchObject([
      {
        providerId: organisation.providerId,
        traceId: job.traceId,
        method: "PUT",
        path: expect.stringContaining(`/shifts/${job.shiftId}/assign/`),
        status: 409,
      },
    ]);
    expect(lines.some((line) => line.includes(person.personalNumber))).toBe(false);
    expect(lines.some((line) => /robin|example\.com|\+4670/i.test(line))).toBe(false);
  });
});
