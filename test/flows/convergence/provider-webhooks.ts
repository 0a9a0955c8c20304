import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export type EventName = "shift.create" | "shift.update" | "shift.delete";

export interface Connection {
  /** The URL of the platform. */
  url: string;
  /** PLATFORM_TOKEN. */
  token: string;
  /** The platform's kind of provider: selects the first of the two paths of contract 4.3. */
  kind?: string;
}

export interface Delivery {
  event: EventName;
  shiftId: string;
  traceId: string;
  /** The status of each attempt; 0 when there was no response. */
  statuses: number[];
}

const WAITS_MS = [0, 50, 100, 200, 400, 800];

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Sends webhooks (contract 6), each until it is acknowledged. */
export function createWebhooks(providerId: string) {
  const deliveries: Delivery[] = [];
  const underWay = new Set<Promise<unknown>>();
  let connection: Connection | undefined;

  async function deliver(delivery: Delivery): Promise<string> {
    const { event, shiftId, traceId, statuses } = delivery;
    const body = { event, providerId, content: { shiftId }, traceId };
    for (const waitMs of WAITS_MS) {
      await sleep(waitMs);
      const status = await post(connection, body);
      statuses.push(status);
      if (status === 200) return traceId;
    }
    throw new Error(`the platform did not acknowledge ${event}: ${statuses.join(", ")}`);
  }

  return {
    deliveries: deliveries as readonly Delivery[],
    /** Changes only the given settings. */
    connect: (to: Partial<Connection>) => {
      connection = { ...connection, ...to } as Connection;
    },
    /** Resolves with the traceId once the platform has acknowledged the event. */
    announce: (event: EventName, shiftId: string, { traceId = randomUUID() } = {}): Promise<string> => {
      const delivery: Delivery = { event, shiftId, traceId, statuses: [] };
      deliveries.push(delivery);
      const sending = deliver(delivery);
      const settled = sending.catch(() => undefined).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return sending;
    },
    /** Resolves when no webhook waits to be acknowledged. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function post(connection: Connection | undefined, body: object): Promise<number> {
  if (!connection) return 0;
  const { url, token, kind } = connection;
  const path = kind === undefined ? "/webhooks/scheduling-provider" : `/api/v3/integrations/${kind}/webhook`;
  try {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
