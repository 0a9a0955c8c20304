import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("the names of a job's outlet and role, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  afterEach(() => organisation.close());

  const namesOf = ({ outletName, roleName }: Record<string, unknown>) => [outletName, roleName];
  const seeded = () => {
    const [outlet, role] = [organisation.provider.outlets[0], organisation.provider.roles[0]];
    if (!outlet || !role) throw new Error("not seeded");
    return { outlet, role, ids: { outletId: outlet.id, roleId: role.id } };
  };

  describe("of a shift with names", () => {
    beforeEach(async () => {
      organisation = await startOrganisation(database(), { dialect: { variant: "a" } });
    });

    it("come from the shift, also in the list", async () => {
      const { outlet, role, ids } = seeded();
      const job = await organisation.open(ids);
      expect(namesOf(job)).toEqual([outlet.name, role.name]);
      expect(await organisation.job(job.shiftId)).toEqual(job);
    });
  });

  describe("of a shift without names", () => {
    beforeEach(async () => {
      organisation = await startOrganisation(database(), { dialect: { variant: "b" } });
    });

    it("come from the provider's lists, or are absent", async () => {
      const { outlet, role, ids } = seeded();
      expect(namesOf(await organisation.open(ids))).toEqual([outlet.name, role.name]);
      const unknown = await organisation.open({ ...ids, outletId: randomUUID() });
      expect(unknown).not.toHaveProperty("outletName");
      expect(unknown.roleName).toBe(role.name);
    });
  });
});
