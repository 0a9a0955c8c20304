import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { shiftEvent, type TenantHarness, useTenants } from "../../harness/tenants.ts";
import { bodies } from "../../harness/valid-requests.ts";
import numbers from "../../testdata/personal-numbers.json" with { type: "json" };

const ROWS = 60;

type Item = Record<string, unknown>;
interface Page {
  items: Item[];
  nextCursor?: string;
}

async function page(harness: TenantHarness, path: string): Promise<Page> {
  const { status, body } = await harness.operate("GET", path);
  expect(status).toBe(200);
  return body as Page;
}

/** The whole list, page by page, and how long each page was. */
async function walk(harness: TenantHarness, path: string, limit?: number) {
  const all: Item[] = [];
  const sizes: number[] = [];
  const separator = path.includes("?") ? "&" : "?";
  const size = limit === undefined ? "" : `&limit=${limit}`;
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(
      harness,
      `${path}${separator}${cursor ? `cursor=${cursor}` : ""}${size}`,
    );
    all.push(...items);
    sizes.push(items.length);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return { all, sizes };
}

/** Each list, the key of its items, and how to add the nth. */
const LISTS: [
  path: string,
  id: string,
  add: (harness: TenantHarness, index: number) => Promise<{ status: number }>,
][] = [
  [
    "/workplaces",
    "workplaceId",
    (harness, index) => harness.operate("POST", "/workplaces", { name: `W ${index}` }),
  ],
  [
    "/competences",
    "competenceId",
    (harness, index) => harness.operate("POST", "/competences", { name: `C ${index}` }),
  ],
  ["/events", "eventId", (harness) => harness.sendEvent(shiftEvent(harness.tenant.providerId))],
  [
    "/integrations",
    "providerId",
    (harness) =>
      harness.operate("POST", "/integrations", { ...bodies.createIntegration?.(), providerId: randomUUID() }),
  ],
  [
    "/candidates",
    "candidateId",
    (harness, index) => {
      const personalNumber = numbers.personnummer[index];
      return harness.operate("POST", "/candidates", { ...bodies.createCandidate?.(), personalNumber });
    },
  ],
];

describe.each(featureEngines)("lists, on %s", (engine) => {
  const harness = useTenants(engine);

  it.each(LISTS)("%s is walked with each item once", async (path, id, add) => {
    const before = (await walk(harness(), path)).all.length;
    const rows = path === "/candidates" ? Math.min(ROWS, numbers.personnummer.length) : ROWS;
    for (let index = 0; index < rows; index += 1) {
      expect((await add(harness(), index)).status).toBeLessThan(300);
    }
    for (const limit of [undefined, 7, 200]) {
      const { all, sizes } = await walk(harness(), path, limit);
      expect(all).toHaveLength(before + rows);
      expect(new Set(all.map((item) => item[id])).size).toBe(before + rows);
      expect(sizes.slice(0, -1).every((size) => size === (limit ?? 50))).toBe(true);
    }
    const exact = await walk(harness(), path, before + rows);
    expect(exact.sizes).toEqual([before + rows]);
  });

  it("have the newest item first", async () => {
    const names = (await page(harness(), "/workplaces?limit=3")).items.map(({ name }) => name);
    expect(names).toEqual([`W ${ROWS - 1}`, `W ${ROWS - 2}`, `W ${ROWS - 3}`]);
  });

  it("keep their place while items are added", async () => {
    const first = await page(harness(), "/competences?limit=10");
    await harness().operate("POST", "/competences", { name: "newer" });
    const second = await page(harness(), `/competences?limit=10&cursor=${first.nextCursor}`);
    const ids = [...first.items, ...second.items].map(({ competenceId }) => competenceId);
    expect(new Set(ids).size).toBe(20);
    expect(second.items.map(({ name }) => name)).not.toContain("newer");
  });

  it("of events are filtered by each filter", async () => {
    const { sendEvent, tenant, other } = harness();
    const event = shiftEvent(tenant.providerId, "shift.moved");
    await sendEvent(event);
    const { traceId, content } = event;
    const expected = [expect.objectContaining({ traceId, status: "ignored" })];
    for (const filter of [`traceId=${traceId}`, `shiftId=${content.shiftId}`, "status=ignored"]) {
      expect((await page(harness(), `/events?${filter}`)).items).toEqual(expected);
    }
    expect((await page(harness(), `/events?providerId=${other.providerId}`)).items).toEqual([]);
    expect((await page(harness(), `/events?traceId=${traceId}&status=queued`)).items).toEqual([]);
    expect((await page(harness(), `/events?providerId=${tenant.providerId}&limit=200`)).items).toHaveLength(
      ROWS + 1,
    );
  });

  it("show no whole personal number, e-mail or phone of a candidate", async () => {
    const { text } = await harness().operate("GET", "/candidates?limit=200");
    expect(text).not.toMatch(/"\d{8}-?\d{4}"|[^*]@example|\+46/);
    expect(text).toContain('"personalNumber":"1890****-****"');
  });
});
