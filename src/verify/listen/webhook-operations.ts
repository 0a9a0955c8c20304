import { operationsTable } from "../../../generated/platform/server.ts";

/** Both webhook paths (contract 4.3). */
export const webhookOperations = operationsTable.filter((operation) => "body" in operation);

export type WebhookOperation = (typeof webhookOperations)[number];
export type WebhookOperationId = WebhookOperation["operationId"];
