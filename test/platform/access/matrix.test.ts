import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { OperatorCreated, Role } from "../../../generated/operations/types.ts";
import { featureEngines } from "../../harness/engines.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { KIND, shiftEvent, type TenantHarness, useTenants } from "../../harness/tenants.ts";
import { addOperator, type Documented, documented, rolesOfDocument } from "./documented.ts";

const OPERATIONS = documented();
const ROLES = rolesOfDocument();
/** Beside the documents' operations. What of it operators may reach is tested with each. */
const PAGES = ["/metrics", "/console/", "/docs/"];

describe("the documents", () => {
  it("have four roles, every operation and the backup, each with a role that there is", () => {
    expect(OPERATIONS.length).toBeGreaterThan(65);
    expect(ROLES).toEqual(["viewer", "operator", "people", "admin"]);
    for (const { needs } of OPERATIONS) if (typeof needs === "object") expect(ROLES).toContain(needs.role);
    expect(OPERATIONS.filter(({ name }) => name.startsWith("/")).map(({ name }) => name)).toEqual([
      "/operations/v1/backup",
    ]);
  });

  it("let viewers change nothing, and read everything that is not about operators", () => {
    const READ_BY_ADMINS = ["listOperators", "getOperator", "listAudit"];
    const ABOUT_ITSELF = ["signIn", "signOut"];
    for (const { name, method, needs } of OPERATIONS) {
      if (typeof needs === "string" || name.startsWith("/")) continue;
      const isRead = method === "GET" && !READ_BY_ADMINS.includes(name);
      expect([name, needs.role === "viewer"]).toEqual([name, isRead || ABOUT_ITSELF.includes(name)]);
    }
  });

  it("leave to admins what gives access to providers, operators and the audit log", () => {
    const byAdmins = OPERATIONS.filter(({ needs }) => typeof needs === "object" && needs.role === "admin");
    expect(byAdmins.map(({ name }) => name)).toEqual([
      "createIntegration",
      "changeIntegration",
      "deleteIntegration",
      "offboardIntegration",
      "rotateToken",
      "createOperator",
      "listOperators",
      "getOperator",
      "changeOperator",
      "revokeOperator",
      "rotateOperatorToken",
      "listAudit",
      "/operations/v1/backup",
    ]);
  });
});

type Who =
  | { operator: string; hasSession?: true }
  | "foreign page"
  | "provider"
  | "foreign provider"
  | "unknown";

type Headers = Record<string, string>;

interface Caller {
  name: string;
  who: Who;
  credentials: (operation: string) => Headers | Promise<Headers>;
}

/** What the caller meets: one of the three refusals, or none of them. */
type Outcome = "served" | "unauthorized" | `forbidden${string}` | "not_found";

/** Judged before the link: a page of another site learns nothing about it. */
const OWN_FORMS = ["answerShift", "answerList"];

function expected({ name, needs, document }: Documented, { who }: Caller, isPublic: boolean): Outcome | 403 {
  if (isPublic && document === "operations") return "not_found";
  if (needs === "open") return who === "foreign page" && OWN_FORMS.includes(name) ? 403 : "served";
  if (needs === "provider") {
    if (who === "foreign provider") return "forbidden";
    return who === "provider" ? "served" : "unauthorized";
  }
  if (who === "foreign page") return "forbidden";
  if (typeof who === "string") return "unauthorized";
  // It is opened with a token alone.
  if (name === "signIn" && who.hasSession) return "unauthorized";
  return ROLES.indexOf(who.operator) >= ROLES.indexOf(needs.role) ? "served" : `forbidden: ${needs.role}`;
}

/** Nothing has the ids that are sent, and no body is sent but a webhook's: what is allowed changes nothing. */
async function outcome(
  url: string,
  { name, method, path, needs }: Pick<Documented, "name" | "method" | "path" | "needs">,
  { credentials }: Caller,
  providerId: string,
): Promise<Outcome | number> {
  const filled = path.replace("{provider}", KIND).replaceAll(/\{\w+\}/g, () => randomUUID());
  const headers = { "content-type": "application/json", ...(await credentials(name)) };
  const body = needs === "provider" ? JSON.stringify(shiftEvent(providerId)) : null;
  const response = await fetch(url + filled, { method, headers, body });
  if (response.headers.get("content-type")?.startsWith("application/problem+json")) {
    const { code, detail = "" } = (await response.json()) as { code: string; detail?: string };
    const [, role] = /needs the role (\w+);/.exec(detail) ?? [];
    if (code === "forbidden") return role === undefined ? code : `forbidden: ${role}`;
    if (code === "unauthorized" || code === "not_found") return code;
    return response.status < 500 ? "served" : response.status;
  }
  // The stream does not end.
  if (response.headers.get("content-type") === "text/event-stream") await response.body?.cancel();
  else await response.arrayBuffer();
  // A page about an unknown link.
  if (response.status === 404 && response.headers.get("content-type")?.startsWith("text/html"))
    return "served";
  return response.ok ? "served" : response.status;
}

const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });

/** The cookie of a session, as a page of this site sends it. The sign-out ends the session that it gets: it has one of its own. */
function session({ send }: TenantHarness, token: string, site: string): Caller["credentials"] {
  const open = async () => {
    const answer = await send("/operations/v1/session", { method: "POST", authorization: `Bearer ${token}` });
    const [cookie = ""] = answer.headers["set-cookie"]?.[0]?.split(";", 1) ?? [];
    return { cookie, "sec-fetch-site": site };
  };
  let opened: Promise<Headers> | undefined;
  return (operation) => {
    if (operation === "signOut") return open();
    opened ??= open();
    return opened;
  };
}

async function callersOf(harness: TenantHarness): Promise<Caller[]> {
  const { tenant, other, operate } = harness;
  const callers: Caller[] = [];
  for (const role of ROLES) {
    const { token } = await addOperator(harness, role as Role);
    callers.push({ name: role, who: { operator: role }, credentials: bearer(token) });
    const credentials = session(harness, token, "same-origin");
    callers.push({ name: `${role}'s session`, who: { operator: role, hasSession: true }, credentials });
  }
  const [revoked, replaced] = [await addOperator(harness, "admin"), await addOperator(harness, "admin")];
  await operate("DELETE", `/operators/${revoked.operatorId}`);
  const rotation = await operate("POST", `/operators/${replaced.operatorId}/tokens`, { overlapHours: 0 });
  const { token: renewed } = rotation.body as Pick<OperatorCreated, "token">;
  const admin = { operator: "admin" };
  const bearers: [string, Who, string][] = [
    ["OPERATIONS_TOKEN", admin, OPERATIONS_TOKEN],
    ["an admin's new token", admin, renewed],
    ["an admin's token that was replaced", "unknown", replaced.token],
    ["a revoked admin", "unknown", revoked.token],
    ["the provider", "provider", tenant.platformToken],
    ["the provider's ended token", "unknown", tenant.expiredToken],
    ["another organisation's provider", "foreign provider", other.platformToken],
    ["a made-up token", "unknown", `spo_${"0".repeat(43)}`],
  ];
  for (const [name, who, token] of bearers) callers.push({ name, who, credentials: bearer(token) });
  const foreign = session(harness, OPERATIONS_TOKEN, "cross-site");
  callers.push({ name: "a page of another site", who: "foreign page", credentials: foreign });
  const ended = await session(harness, OPERATIONS_TOKEN, "same-origin")("signOut");
  await harness.send("/operations/v1/session", { method: "DELETE", headers: ended });
  callers.push({ name: "a session that has ended", who: "unknown", credentials: () => ended });
  callers.push({ name: "no token", who: "unknown", credentials: () => ({}) });
  return callers;
}

describe.each(featureEngines)("authorisation, on %s", (engine) => {
  const harness = useTenants(engine, { config: { publicPlace: { host: "127.0.0.1", port: 0 } } });
  let callers: Caller[];
  beforeAll(async () => {
    callers = await callersOf(harness());
  });

  describe.each(["ordinary", "public"])("on the %s listener", (listener) => {
    const isPublic = listener === "public";
    const urlOf = ({ url, publicPort }: TenantHarness["platform"]) =>
      isPublic ? `http://127.0.0.1:${publicPort}` : url;

    it.each(OPERATIONS)("$method $path serves whom the document names", async (operation) => {
      const { platform, tenant } = harness();
      const met: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const caller of callers) {
        met[caller.name] = await outcome(urlOf(platform), operation, caller, tenant.providerId);
        wanted[caller.name] = expected(operation, caller, isPublic);
      }
      expect(met).toEqual(wanted);
    });
  });

  it.each(PAGES)("%s is not on the public listener", async (path) => {
    const { platform, tenant } = harness();
    const page = { name: path, method: "GET", path, needs: "open" } as const;
    for (const caller of callers) {
      const url = `http://127.0.0.1:${platform.publicPort}`;
      expect([caller.name, await outcome(url, page, caller, tenant.providerId)]).toEqual([
        caller.name,
        "not_found",
      ]);
    }
  });

  it.each(ROLES)("%s reads its own name and role", async (role) => {
    const headers = await callers.find(({ name }) => name === role)?.credentials("getMe");
    const { body } = await harness().send("/operations/v1/me", { headers: headers ?? {} });
    expect(body).toMatchObject({ role, name: expect.stringContaining(role), operatorId: expect.any(String) });
  });

  it("gives OPERATIONS_TOKEN the role admin, and no operatorId", async () => {
    const { body } = await harness().operate("GET", "/me");
    expect(body).toEqual({ name: "first admin", role: "admin" });
  });
});
