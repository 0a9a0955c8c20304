import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";

/** `ownPeopleCount` of a shift with one platform candidate and one of the provider's own people. */
const LISTS = [
  ["ten-thousand", 9_999],
  ["duplicates", 1],
  ["nulls", 1],
] as const;

describe.each(engines)("a provider with malformed lists of people, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it.each(LISTS)(
    "leads to a correct job, or to an issue that explains it: %s",
    async (list, ownPeopleCount) => {
      const { provider, ...platform } = await onboard({ variant: "b" });
      const person = await platform.addPerson();
      const { shiftId, endTime, ...job } = await platform.open({ positions: 3, ownPeople: 1 });
      await platform.book({ shiftId, endTime, ...job }, person);
      const oddity = provider.fault({ kind: "odd-list", list }, { on: "getShift" });
      const newEnd = new Date(Date.parse(endTime) + HOUR_MS).toISOString();
      provider.updateShift(shiftId, { endTime: newEnd });
      await provider.announce("shift.update", shiftId);
      const isRight = (now: Job) =>
        Date.parse(now.endTime) === Date.parse(newEnd) &&
        now.ownPeopleCount === ownPeopleCount &&
        now.bookings.every(({ status }) => status === "confirmed");
      const isExplained = async () => (await platform.issues()).length > 0;
      await expect.poll(async () => isRight(await platform.job(shiftId)) || (await isExplained())).toBe(true);
      expect(oddity.hits).toBeGreaterThan(0);
      expect((await platform.job(shiftId)).ownPeople.length).toBeLessThanOrEqual(100);
      expect((await fetch(`${platform.platform.url}/health/ready`)).status).toBe(200);
      oddity.stop();
      await provider.announce("shift.update", shiftId);
      await expect.poll(() => agree(platform, provider)).toEqual([]);
      expect(provider.effects.map(({ kind }) => kind)).toEqual(["create", "assign"]);
      await expect.poll(platform.issueCodes).toEqual([]);
    },
  );
});
