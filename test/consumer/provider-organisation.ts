import { MatchersV3 } from "@pact-foundation/pact";
import { CALL, type Exchange, type Row } from "../harness/pact/exchange.ts";
import { aText, EXAMPLES } from "../harness/pact/matching.ts";

const ORGANISATION = { state: "an organisation" };
const OUTLET = { id: "4a9d3e5f-2f7d-4f39-bb5a-6f5c4b7b8d21", name: "Restaurang Stureplan" };
const ROLE = { id: "9d2f7a6b-1c3e-4a5d-8f7b-2e4d6c8a0b31", name: "Waiter" };
const ENTRY = { id: EXAMPLES.candidateId, personalNumber: EXAMPLES.personalNumber };

const namedList = ({ id, name }: typeof ROLE) => MatchersV3.eachLike({ id: aText(id), name: aText(name) });

const registry: Omit<Exchange, "status"> = {
  does: "fetches the registry",
  given: { state: "a candidate exists" },
  method: "GET",
  path: "/candidates/registry",
  query: { limit: MatchersV3.regex("^\\d+$", "200") },
};
const readRegistry: Row["call"] = (client) => client.readRegistry({ limit: 200 }, CALL);

/** Any text is readable: an invalid number is reported and not imported. */
const ENTRIES = {
  candidates: MatchersV3.eachLike({ id: aText(ENTRY.id), personalNumber: aText(ENTRY.personalNumber) }),
};

export const organisationRows: readonly Row[] = [
  {
    calls: "listOutlets",
    exchanges: [
      {
        does: "lists the outlets",
        given: ORGANISATION,
        method: "GET",
        path: "/outlets",
        status: 200,
        answer: namedList(OUTLET),
      },
    ],
    call: (client) => client.listOutlets(CALL),
    gives: { kind: "list", items: [OUTLET], faults: [] },
  },
  {
    calls: "listRoles",
    exchanges: [
      {
        does: "lists the roles",
        given: ORGANISATION,
        method: "GET",
        path: "/roles",
        status: 200,
        answer: namedList(ROLE),
      },
    ],
    call: (client) => client.listRoles(CALL),
    gives: { kind: "list", items: [ROLE], faults: [] },
  },
  {
    calls: "readRegistry",
    exchanges: [{ ...registry, forms: { registry: "offered" }, status: 200, answer: ENTRIES }],
    call: readRegistry,
    gives: { kind: "page", page: { candidates: [{ entry: ENTRY }] } },
  },
  {
    calls: "readRegistry, not offered",
    exchanges: [{ ...registry, forms: { registry: "absent" }, status: 404 }],
    call: readRegistry,
    gives: { kind: "absent" },
  },
];
