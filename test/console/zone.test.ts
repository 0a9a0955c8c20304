import { afterEach, expect, it } from "vitest";
import {
  chooseZone,
  formatTime,
  knownZones,
  readersZone,
  shownZone,
} from "../../src/console/components/time.tsx";

afterEach(() => {
  chooseZone("organisation");
  knownZones.value = [];
});

it("shows what is of no organisation in the zone that all organisations have", () => {
  knownZones.value = ["Asia/Tokyo"];
  expect(shownZone()).toBe("Asia/Tokyo");
  expect(formatTime("2026-11-22T12:00:00.000Z")).toBe("Sun 22 Nov 21:00");
  knownZones.value = ["Asia/Tokyo", "Europe/Stockholm"];
  expect(shownZone()).toBe(readersZone());
  expect(shownZone("Asia/Tokyo")).toBe("Asia/Tokyo");
});

it("shows every time in the viewer's zone once that is chosen", () => {
  chooseZone("viewer");
  const at = "2026-11-22T12:00:00.000Z";
  expect(formatTime(at, { zone: "Asia/Tokyo" })).toBe(formatTime(at, { zone: readersZone() }));
  expect(shownZone("Asia/Tokyo")).toBe(readersZone());
});
