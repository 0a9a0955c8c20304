import { CannotCompare } from "./cannot-compare.ts";

export type Party = "providers" | "platform" | "operators";

export interface Parties {
  /** Whose calls the document describes; for events, who reads them. */
  client: Party;
  /** Who answers the calls; for events, who sends them. */
  server: Party;
  /** There is one server, and it is released with the document: what it has to learn breaks nobody. */
  servedByUs?: true;
}

const PARTIES: Readonly<Record<string, Parties>> = {
  "provider.openapi.yaml": { client: "platform", server: "providers" },
  "platform.openapi.yaml": { client: "providers", server: "platform" },
  "events.asyncapi.yaml": { client: "platform", server: "providers" },
  "operations.openapi.yaml": { client: "operators", server: "platform", servedByUs: true },
};

/** @throws CannotCompare for a document of which nobody has said who uses it */
export function partiesOf(document: string): Parties {
  const parties = PARTIES[document];
  if (parties) return parties;
  throw new CannotCompare(
    `Nothing says who uses ${document}: add it to PARTIES in scripts/contract-diff/parties.ts`,
  );
}
