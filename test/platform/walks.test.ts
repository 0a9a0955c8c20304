import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useHarness } from "../harness/platform.ts";

const GUIDE = readFileSync(new URL("../../spec/guides/architecture.md", import.meta.url), "utf8");
const PLATFORM = "/src/platform/";

/** Returns the files of a walk as the guide lists them, without those that run in a thread of their own. */
function listed(walk: string): string[] {
  const [, files = ""] = new RegExp(`^\\| ${walk} +\\| (.*) \\|$`, "m").exec(GUIDE) ?? [];
  return [...files.matchAll(/`([^`]+)`( \(thread\))?/g)].flatMap(([, file = "", inThread]) =>
    inThread ? [] : file.replace(/([^/]+)$/, "$1.ts"),
  );
}

describe("the walk through the files in the architecture guide", () => {
  const harness = useHarness("pglite");
  const session = new Session();

  beforeAll(async () => {
    session.connect();
    await session.post("Profiler.enable");
  });

  afterAll(() => session.disconnect());

  /** The files of the platform of which a function ran meanwhile. */
  async function visited(act: () => Promise<unknown>): Promise<string[]> {
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await act();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    return result.flatMap(({ url, functions }) => {
      const hasRun = functions.some(({ functionName, ranges: [range] }) => functionName && range?.count);
      const [, file] = url.split(PLATFORM);
      return hasRun && file ? [file] : [];
    });
  }

  it("of a webhook has every file that it lists", async () => {
    const organisation = await harness().onboard();
    const files = await visited(async () => {
      organisation.provider.createShift({ positions: 1 });
      await organisation.idle();
    });
    expect(listed("webhook").length).toBeGreaterThan(10);
    expect(files).toEqual(expect.arrayContaining(listed("webhook")));
  });

  it("of an accept has every file that it lists", async () => {
    const organisation = await harness().onboard();
    const [job, person] = [await organisation.open(), await organisation.addPerson()];
    const files = await visited(async () => {
      await organisation.accept(job, person);
      await organisation.idle();
    });
    expect(listed("accept").length).toBeGreaterThan(10);
    expect(files).toEqual(expect.arrayContaining(listed("accept")));
  });

  it("of a registry import has every file that it lists", async () => {
    const organisation = await harness().onboard();
    const path = `/integrations/${organisation.providerId}/registry-import`;
    const files = await visited(() => harness().operate("POST", path));
    expect(listed("registry import").length).toBeGreaterThan(5);
    expect(files).toEqual(expect.arrayContaining(listed("registry import")));
  });
});
