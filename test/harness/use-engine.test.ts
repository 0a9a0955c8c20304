import { afterEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "./engines.ts";

for (const engine of featureEngines) {
  describe(`a database for a whole describe, on ${engine}`, () => {
    afterEach(async () => {
      await database().raw.executeSql(
        "insert into shiftpact.figures (provider_id, name, minute, value) values (gen_random_uuid(), 'late', now(), 1)",
      );
    });
    const database = useEngine(engine);

    it.for([1, 2])("is empty at the start, whatever the hooks of the test before wrote (%i)", async () => {
      const { rows } = await database().raw.executeSql("select name from shiftpact.figures");
      expect(rows).toEqual([]);
    });
  });
}
