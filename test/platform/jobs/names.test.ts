import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

describe.each(featureEngines)("the names of a job's outlet and role, on %s", (engine) => {
  const database = useEngine(engine);
  let workshop: Workshop;
  afterEach(() => workshop.close());

  const namesOf = ({ outletName, roleName }: Record<string, unknown>) => [outletName, roleName];
  const seeded = () => {
    const [outlet, role] = [workshop.provider.outlets[0], workshop.provider.roles[0]];
    if (!outlet || !role) throw new Error("not seeded");
    return { outlet, role, ids: { outletId: outlet.id, roleId: role.id } };
  };

  describe("of a shift with names", () => {
    beforeEach(async () => {
      workshop = await openWorkshop(database(), { dialect: { variant: "a" } });
    });

    it("come from the shift, also in the list", async () => {
      const { outlet, role, ids } = seeded();
      const job = await workshop.open(ids);
      expect(namesOf(job)).toEqual([outlet.name, role.name]);
      expect(await workshop.job(job.jobId)).toEqual(job);
    });
  });

  describe("of a shift without names", () => {
    beforeEach(async () => {
      workshop = await openWorkshop(database(), { dialect: { variant: "b" } });
    });

    it("come from the provider's lists, or are absent", async () => {
      const { outlet, role, ids } = seeded();
      expect(namesOf(await workshop.open(ids))).toEqual([outlet.name, role.name]);
      const unknown = await workshop.open({ ...ids, outletId: randomUUID() });
      expect(unknown).not.toHaveProperty("outletName");
      expect(unknown.roleName).toBe(role.name);
    });
  });
});
