import { randomUUID } from "node:crypto";
import type { Organisation } from "../organisation.ts";
import { changeList } from "./entries.ts";
import { type Answer, type Call, type Faults, problemAnswer } from "./fault.ts";
import { LISTS } from "./operations.ts";
import { nameOrganisation, organisationOf, tokenHolderOf } from "./tenant.ts";

/** Faults in checking tokens and organisations (contract 5). */
export const accessFaults = {
  "no-token-accepted": {
    summary: "a call without a token is served",
    instead: (call) => authorizeIf(call, (authorization) => authorization === undefined),
  },
  "any-token-accepted": {
    summary: "any bearer token is accepted",
    instead: (call) => authorizeIf(call, (authorization = "") => /^Bearer \S/.test(authorization)),
  },
  "longer-token-accepted": {
    summary: "a token that only starts with the right one is accepted",
    instead: (call) =>
      authorizeIf(call, (authorization = "", token) => authorization.startsWith(`Bearer ${token}`)),
  },
  "any-scheme-accepted": {
    summary: "the token is accepted under any scheme",
    instead: (call) => authorizeIf(call, (authorization = "", token) => authorization.endsWith(` ${token}`)),
  },
  "bare-token-accepted": {
    summary: "the token is accepted without a scheme",
    instead: (call) => authorizeIf(call, (authorization, token) => authorization === token),
  },
  "no-token-forbidden": {
    summary: "403 in place of 401",
    rewrite: (answer) => (answer.status === 401 ? problemAnswer("forbidden") : answer),
  },
  "no-token-not-found": {
    summary: "404 in place of 401",
    rewrite: (answer) => (answer.status === 401 ? problemAnswer("not_found") : answer),
  },
  "no-token-500": {
    summary: "500 in place of 401",
    rewrite: (answer) => (answer.status === 401 ? problemAnswer("internal_error") : answer),
  },
  "token-rejected": {
    summary: "401 to every call, as after a rotation without the platform",
    instead: () => problemAnswer("unauthorized"),
  },
  "token-forbidden": {
    summary: "403 to every call",
    instead: () => problemAnswer("forbidden"),
  },
  "lookup-before-token": {
    summary: "404 to a call without a token for an unknown shift",
    instead: ({ path, request, ...call }) => {
      const { shiftId } = path;
      if (shiftId === undefined || request.get("authorization") !== undefined) return undefined;
      const isThere = organisationOf({ path, request, ...call })?.shifts.has(shiftId);
      return isThere ? undefined : problemAnswer("shift_not_found");
    },
  },
  "tenant-conflict-accepted": {
    summary: "two headers with different organisations are accepted if one fits the token",
    instead: (call) => serveAsHolder(call, /^\/(?!providers\/)/.test(call.request.path)),
  },
  "tenant-ignored": {
    summary: "any providerId is served with the data of the token's organisation",
    instead: (call) => serveAsHolder(call, organisationOf(call) === undefined),
  },
  "tenant-optional": {
    summary: "a call that names no providerId is served with the data of the token's organisation",
    instead: (call) => serveAsHolder(call, call.providerId === undefined),
  },
  "unknown-tenant-invalid": {
    summary: "400 to an unknown providerId",
    rewrite: (answer, call) => toUnknownTenant(answer, call, problemAnswer("validation_failed")),
  },
  "unknown-tenant-500": {
    summary: "500 to an unknown providerId",
    rewrite: (answer, call) => toUnknownTenant(answer, call, problemAnswer("internal_error")),
  },
  "token-for-every-tenant": {
    summary: "each organisation's token is accepted for every organisation",
    instead: (call) => {
      const organisation = organisationOf(call);
      if (organisation && tokenHolderOf(call)) authorize(call, organisation);
      return undefined;
    },
  },
  "tenant-of-the-token": {
    summary: "another organisation's providerId is served with the data of the token's organisation",
    instead: (call) => serveAsHolder(call, organisationOf(call) !== undefined),
  },
  "rows-of-every-tenant": {
    summary: "every organisation sees the shifts, candidates, outlets and roles of all",
    around: (call) => {
      const organisation = organisationOf(call);
      const removeForeignRows =
        organisation && tokenHolderOf(call) ? addForeignRows(call, organisation) : () => undefined;
      return (answer) => {
        removeForeignRows();
        return answer;
      };
    },
  },
  "rows-name-another-tenant": {
    summary: "an entry of a list has the providerId of another organisation",
    operations: LISTS,
    rewrite: (answer) =>
      changeList(answer, (entries) =>
        entries.map((entry, index) => (index === 0 ? { ...entry, providerId: randomUUID() } : entry)),
      ),
  },
} as const satisfies Faults;

/** Authorizes the call if the header is accepted. A call without a known organisation is unchanged. */
function authorizeIf(
  call: Call,
  isRight: (authorization: string | undefined, token: string) => boolean,
): undefined {
  const organisation = organisationOf(call);
  if (organisation && isRight(call.request.get("authorization"), organisation.token)) {
    authorize(call, organisation);
  }
  return undefined;
}

function authorize({ request }: Call, { token }: Organisation): void {
  request.headers.authorization = `Bearer ${token}`;
}

function serveAsHolder(call: Call, when: boolean): undefined {
  const holder = tokenHolderOf(call);
  if (holder && when) nameOrganisation(call, holder);
  return undefined;
}

function toUnknownTenant(answer: Answer, call: Call, refusal: Answer): Answer {
  return answer.status === 404 && organisationOf(call) === undefined ? refusal : answer;
}

/** Adds the rows of all other organisations. Returns a function that removes them again. */
function addForeignRows({ organisations }: Call, organisation: Organisation): () => void {
  const others = [...organisations.values()].filter((each) => each !== organisation);
  const removals = [
    ...others.map(({ shifts }) => addEntries(organisation.shifts, shifts)),
    ...others.map(({ candidates }) => addEntries(organisation.candidates, candidates)),
  ];
  const { outlets, roles } = organisation;
  organisation.outlets = [outlets, ...others.map((each) => each.outlets)].flat();
  organisation.roles = [roles, ...others.map((each) => each.roles)].flat();
  return () => {
    Object.assign(organisation, { outlets, roles });
    for (const remove of removals) remove();
  };
}

function addEntries<T>(to: Map<string, T>, from: ReadonlyMap<string, T>): () => void {
  const added = [...from].filter(([id]) => !to.has(id));
  for (const [id, each] of added) to.set(id, each);
  return () => {
    for (const [id] of added) to.delete(id);
  };
}
