import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { answerParent } from "./parent.ts";

/*
 * A provider that uses almost no CPU: every shift exists, tomorrow, with one position. Below /hanging it never responds about a shift. It counts the
 * shifts read below each first part of the path. The sandbox would take more time than the platform.
 */

const OUTLET = {
  id: "11111111-1111-4111-8111-111111111111",
  name: "Kajen",
  address: "Skeppsbron 14, Göteborg",
};
const ROLE = { id: "22222222-2222-4222-8222-222222222222", name: "Waiter" };

const server = createServer((request, response) => {
  const [path = ""] = (request.url ?? "").split("?");
  const [last = "", kind] = path.split("/").reverse();
  if (kind === "shifts" && path.startsWith("/hanging/")) return;
  if (kind === "shifts") count(path);
  const body = kind === "shifts" ? shift(last) : { outlets: [OUTLET], roles: [ROLE] }[last];
  response.statusCode = body ? 200 : 404;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(body ?? { title: "Not found" }));
});

const reads: Record<string, number> = {};

function count(path: string): void {
  const first = `/${path.split("/")[1]}`;
  reads[first] = (reads[first] ?? 0) + 1;
}

function shift(id: string) {
  const start = Math.ceil(Date.now() / HOUR_MS + 24) * HOUR_MS;
  const [startTime, endTime] = [start, start + 8 * HOUR_MS].map((ms) => new Date(ms).toISOString());
  const place = { outletId: OUTLET.id, outletName: OUTLET.name, roleId: ROLE.id, roleName: ROLE.name };
  return { id, startTime, endTime, ...place, slots: 1, assignedCandidates: [] };
}

server.listen(0, "127.0.0.1", () =>
  answerParent((server.address() as AddressInfo).port, { reads: () => reads }),
);
