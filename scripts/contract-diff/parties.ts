import { CannotCompare } from "./cannot-compare.ts";

export type Party = "providers" | "platform" | "operators" | "candidates";

export interface Parties {
  /** The caller of the API; for events, their reader. */
  client: Party;
  /** The server of the API; for events, their sender. */
  server: Party;
  /** The only server is released with the document, so changes never break it. */
  isReleasedWithDocument?: true;
}

const PARTIES: Readonly<Record<string, Parties>> = {
  "provider.openapi.yaml": { client: "platform", server: "providers" },
  "platform.openapi.yaml": { client: "providers", server: "platform" },
  "events.asyncapi.yaml": { client: "platform", server: "providers" },
  "operations.openapi.yaml": { client: "operators", server: "platform", isReleasedWithDocument: true },
  "notifications.asyncapi.yaml": { client: "operators", server: "platform", isReleasedWithDocument: true },
  "candidate.openapi.yaml": { client: "candidates", server: "platform", isReleasedWithDocument: true },
};

/** @throws CannotCompare for a document without an entry in PARTIES */
export function partiesOf(document: string): Parties {
  const parties = PARTIES[document];
  if (parties) return parties;
  throw new CannotCompare(
    `The parties of ${document} are unknown: add it to PARTIES in scripts/contract-diff/parties.ts`,
  );
}
