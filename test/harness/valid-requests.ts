import { randomUUID } from "node:crypto";
import { operationsTable } from "../../generated/operations/server.ts";

type Operation = (typeof operationsTable)[number];
export type OperationId = Operation["operationId"];
type TakesBody = Extract<Operation, { body: { required: boolean } }>["operationId"];

const rightBodies: Record<TakesBody, () => Record<string, unknown>> = {
  createIntegration: () => ({
    providerId: randomUUID(),
    kind: "tempo",
    name: "Kajen",
    baseUrl: "http://127.0.0.1:9",
    routing: "path",
    providerToken: "provider-token",
    timeZone: "Europe/Stockholm",
  }),
  changeIntegration: () => ({ name: "Kajen", baseUrl: "http://127.0.0.1:9", routing: "auto" }),
  updateMappings: () => ({ outlets: [{ outletId: "outlet-1", workplaceId: randomUUID() }], roles: [] }),
  createWorkplace: () => ({ name: "Kajen", address: "Skeppsbron 14" }),
  changeWorkplace: () => ({ name: "Kajen", address: null }),
  createCompetence: () => ({ name: "Waiter" }),
  changeCompetence: () => ({ name: "Waiter" }),
  createCandidate: () => ({
    personalNumber: "189001169813",
    firstName: "Ada",
    lastName: "Strand",
    email: "ada.strand@example.com",
    phone: "+46701740605",
    competenceIds: [],
  }),
  changeCandidate: () => ({ email: "ada@example.com" }),
  rotateToken: () => ({ direction: "platform", overlapHours: 1 }),
  releaseCandidate: () => ({ providerId: randomUUID() }),
  releaseCandidates: () => ({ candidateIds: [randomUUID()] }),
  importCandidates: () => ({ preview: true, people: [{}] }),
  setCompetence: () => ({ candidateIds: [randomUUID()], competenceId: randomUUID(), has: false }),
  revealCandidate: () => ({ reason: "The provider asks who this is" }),
  changeJob: () => ({ positions: 2 }),
  replayEvents: () => ({ providerId: randomUUID(), since: "2027-03-01T08:00:00Z" }),
  createOperator: () => ({ name: `Karin ${randomUUID()}`, role: "viewer" }),
  offboardIntegration: () => ({ bookings: "keep" }),
  changeOperator: () => ({ role: "operator" }),
  rotateOperatorToken: () => ({ overlapHours: 1 }),
  changeIssues: () => ({ issueIds: [randomUUID()], resolve: true }),
  endBooking: () => ({ reason: "provider_silent" }),
  acceptJob: () => ({ candidateId: randomUUID() }),
};

/** For each operation that takes a body one that is right. */
export const bodies: Partial<Record<OperationId, () => Record<string, unknown>>> = rightBodies;

/** Every operation as a valid request, with unknown ids. */
export function validRequests() {
  return operationsTable.map(({ operationId, method, path }) => ({
    operationId,
    method,
    path: `/operations/v1${path.replaceAll(/\{\w+\}/g, () => randomUUID())}`,
    body: bodies[operationId]?.(),
  }));
}
