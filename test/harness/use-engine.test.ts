import { afterEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "./engines.ts";

for (const engine of featureEngines) {
  describe(`a database for a whole describe, on ${engine}`, () => {
    afterEach(async () => {
      await database().raw.executeSql(
        "insert into shiftpact.hourly_figures (name, hour, value) values ('late', now(), 1)",
      );
    });
    const database = useEngine(engine);

    it.for([1, 2])("is empty at the start, whatever the hooks of the test before wrote (%i)", async () => {
      const { rows } = await database().raw.executeSql("select name from shiftpact.hourly_figures");
      expect(rows).toEqual([]);
    });
  });
}
