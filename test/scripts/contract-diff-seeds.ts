import type { Document } from "yaml";

export const PROVIDER = "provider.openapi.yaml";
export const PLATFORM = "platform.openapi.yaml";
export const OPERATIONS = "operations.openapi.yaml";
const EVENTS = "events.asyncapi.yaml";
const SHARED = "schemas/events.yaml";

type Path = readonly (string | number)[];
export type Edit = (document: Document) => void;

export interface Seed {
  what: string;
  file: string;
  edits: Edit[];
  /** `document: parties | place | message` of each expected breaking change. */
  breaking: string[];
}

const schema = (...rest: Path): Path => ["components", "schemas", ...rest];

export function put(path: Path, value: unknown): Edit {
  return (document) => document.setIn(path, document.createNode(value));
}

export function add(path: Path, value: unknown): Edit {
  return (document) => document.addIn(path, document.createNode(value));
}

export function drop(path: Path): Edit {
  return (document) => {
    if (!document.deleteIn(path)) throw new Error(`the seed has no target at ${path.join("/")}`);
  };
}

/** Removes a name from a list. */
function strike(path: Path, name: string): Edit {
  return (document) => {
    const list = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document.toJS());
    const rest = (list as string[]).filter((value) => value !== name);
    if (rest.length === (list as string[]).length) throw new Error(`the seed finds no ${name}`);
    document.setIn(path, document.createNode(rest));
  };
}

const TEXT = { type: "string" };

/** The changes are independent, so one comparison finds all of them. */
export const SEEDS: Seed[] = [
  {
    what: "a removed path",
    file: PROVIDER,
    edits: [drop(["paths", "/roles"])],
    breaking: ["provider: platform | /roles | Path `/roles` was removed."],
  },
  {
    what: "a response that a provider must no longer send",
    file: PROVIDER,
    edits: [drop(["paths", "/shifts/{shiftId}/assign/{candidateId}", "put", "responses", "204"])],
    breaking: [
      "provider: providers | PUT /shifts/{shiftId}/assign/{candidateId} | Response `204` was removed.",
    ],
  },
  {
    what: "a field that a provider must no longer send",
    file: PROVIDER,
    edits: [put(schema("ShiftVariantB", "properties", "outletName"), false)],
    breaking: [
      "provider: providers | GET /shifts/{shiftId} | `outletName` of `ShiftVariantB` is no longer allowed.",
    ],
  },
  {
    what: "another required field of a request",
    file: PROVIDER,
    edits: [
      add(schema("ShiftUpdate", "required"), "reason"),
      put(schema("ShiftUpdate", "properties", "reason"), TEXT),
    ],
    breaking: ["provider: platform | PUT /shifts/{shiftId} | `required` of `ShiftUpdate` gained reason."],
  },
  {
    what: "a field of a request that becomes optional",
    file: PROVIDER,
    edits: [strike(schema("CandidateIdentity", "required"), "phone")],
    breaking: ["provider: providers | POST /candidates | `required` of `CandidateIdentity` lost phone."],
  },
  {
    what: "a removed field of a response",
    file: PROVIDER,
    edits: [drop(schema("RegistryEntry", "properties", "employeeNumber"))],
    breaking: [
      "provider: platform | GET /candidates/registry | Property `employeeNumber` of `RegistryEntry` was removed.",
    ],
  },
  {
    what: "a field of a response that becomes required",
    file: PROVIDER,
    edits: [add(schema("Outlet", "required"), "address")],
    breaking: ["provider: providers | GET /outlets | `required` of `Outlet` gained address."],
  },
  {
    what: "another form of a response",
    file: PROVIDER,
    edits: [add(schema("Assignment", "oneOf"), { type: "object", required: ["queued"] })],
    breaking: [
      "provider: platform | PUT /shifts/{shiftId}/assign/{candidateId} | Branch 3 of `oneOf` of `Assignment` was added.",
    ],
  },
  {
    what: "a parameter that becomes required, and a removed one",
    file: PROVIDER,
    edits: [
      put(["paths", "/candidates/registry", "get", "parameters", 0, "required"], true),
      drop(["paths", "/candidates", "get", "parameters", 1]),
    ],
    breaking: [
      "provider: platform | GET /candidates | Parameter `name` was removed.",
      "provider: platform | GET /candidates/registry | `required` of parameter 1 was set to true.",
    ],
  },
  {
    what: "another kind of token",
    file: PROVIDER,
    edits: [put(["components", "securitySchemes", "providerToken", "scheme"], "basic")],
    breaking: [
      "provider: platform and providers | providerToken | `scheme` of `providerToken` changed from bearer to basic.",
    ],
  },
  {
    what: "a longer value than the platform accepts",
    file: PLATFORM,
    edits: [
      put(["paths", "/api/v3/integrations/{provider}/webhook", "parameters", 0, "schema", "maxLength"], 200),
    ],
    breaking: [
      "platform: platform | /api/v3/integrations/{provider}/webhook | `maxLength` of parameter 1 changed from 100 to 200.",
    ],
  },
  {
    what: "a removed field of an event, which breaks its readers in both documents",
    file: SHARED,
    edits: [
      strike(["ShiftCreateEvent", "required"], "traceId"),
      drop(["ShiftCreateEvent", "properties", "traceId"]),
    ],
    breaking: [
      "events: platform | channel integrationWebhook, message shiftCreate | Property `traceId` of `ShiftCreateEvent` was removed.",
      "events: platform | channel integrationWebhook, message shiftCreate | `required` of `ShiftCreateEvent` lost traceId.",
      "platform: platform | POST /api/v3/integrations/{provider}/webhook | `required` of `ShiftCreateEvent` lost traceId.",
    ],
  },
  {
    what: "another required field of an event, which breaks its senders in both documents",
    file: SHARED,
    edits: [
      add(["ShiftUpdateEvent", "required"], "sentAt"),
      put(["ShiftUpdateEvent", "properties", "sentAt"], TEXT),
    ],
    breaking: [
      "events: providers | channel integrationWebhook, message shiftUpdate | `required` of `ShiftUpdateEvent` gained sentAt.",
      "platform: providers | POST /api/v3/integrations/{provider}/webhook | `required` of `ShiftUpdateEvent` gained sentAt.",
    ],
  },
  {
    what: "a removed event",
    file: EVENTS,
    edits: [
      drop(["channels", "integrationWebhook", "messages", "shiftDelete"]),
      drop(["operations", "sendToIntegrationWebhook", "messages", 2]),
      drop(["operations", "sendToSchedulingProviderWebhook", "messages", 2]),
    ],
    breaking: [
      "events: platform | channel integrationWebhook, message shiftDelete | Message `shiftDelete` was removed.",
      "events: platform | operation sendToIntegrationWebhook | Message `shift.delete` was removed.",
      "events: platform | operation sendToSchedulingProviderWebhook | Message `shift.delete` was removed.",
    ],
  },
  {
    what: "another address of events",
    file: EVENTS,
    edits: [put(["channels", "schedulingProviderWebhook", "address"], "/webhooks/provider")],
    breaking: [
      "events: platform and providers | channel schedulingProviderWebhook | `address` of `schedulingProviderWebhook` changed from /webhooks/scheduling-provider to /webhooks/provider.",
    ],
  },
  {
    what: "another name of a path parameter, which keeps the address",
    file: EVENTS,
    edits: [put(["channels", "integrationWebhook", "address"], "/api/v3/integrations/{kind}/webhook")],
    breaking: [],
  },
  {
    what: "another name for an event",
    file: EVENTS,
    edits: [put(["components", "messages", "shiftUpdate", "name"], "shift.updated")],
    breaking: [
      "events: platform and providers | channel integrationWebhook, message shiftUpdate | `name` of `shiftUpdate` changed from shift.update to shift.updated.",
    ],
  },
  {
    what: "another kind of token for events",
    file: EVENTS,
    edits: [put(["components", "securitySchemes", "platformToken", "scheme"], "basic")],
    breaking: [
      "events: platform and providers | server platform | `scheme` of `platformToken` changed from bearer to basic.",
    ],
  },
  {
    what: "headers that an event must have",
    file: EVENTS,
    edits: [
      put(["components", "messages", "shiftCreate", "headers"], { type: "object", required: ["X-Trace-Id"] }),
    ],
    breaking: [
      "events: providers | channel integrationWebhook, message shiftCreate | `headers` of `shiftCreate` was added.",
    ],
  },
  {
    what: "a choice of forms for an event",
    file: SHARED,
    edits: [put(["ShiftUpdateEvent", "anyOf"], [{ required: ["a"] }, { required: ["b"] }])],
    breaking: [
      "events: providers | channel integrationWebhook, message shiftUpdate | `anyOf` of `ShiftUpdateEvent` was added.",
      "platform: providers | POST /api/v3/integrations/{provider}/webhook | `anyOf` of `ShiftUpdateEvent` was added.",
    ],
  },
  {
    what: "fewer values in an address",
    file: EVENTS,
    edits: [put(["channels", "integrationWebhook", "parameters", "provider", "enum"], ["tempo"])],
    breaking: ['events: providers | channel integrationWebhook | `enum` of `provider` was set to ["tempo"].'],
  },
  {
    what: "other values of an enum of the operations API, whose only server is the platform",
    file: OPERATIONS,
    edits: [
      put(schema("EventStatus", "enum"), [
        "queued",
        "processed",
        "ignored",
        "skipped_echo",
        "failed",
        "buried",
      ]),
    ],
    breaking: ["operations: operators | GET /events | `enum` of `EventStatus` gained buried and lost dead."],
  },
];

/** A new event: the platform accepts and ignores unknown events. */
export const NEW_EVENT: [file: string, ...edits: Edit[]] = [
  SHARED,
  put(["ShiftSwapEvent"], {
    type: "object",
    required: ["event", "providerId", "traceId"],
    properties: {
      event: { type: "string", const: "shift.swap" },
      providerId: { $ref: "ids.yaml#/ProviderId" },
      traceId: { $ref: "ids.yaml#/TraceId" },
    },
  }),
  add(["UnknownEvent", "properties", "event", "not", "enum"], "shift.swap"),
  add(["WebhookEvent", "oneOf"], { $ref: "#/ShiftSwapEvent" }),
];

/** Compatible changes that are still reported, by kind. */
export const REPORTED: [file: string, ...edits: Edit[]][] = [
  [
    PROVIDER,
    put(["paths", "/roles", "get", "deprecated"], true),
    put(["paths", "/outlets", "get", "responses", "200", "headers"], {
      "X-Total": { schema: { type: "integer" } },
    }),
    add(schema("CompleteShiftVariantA", "required"), "createdAt"),
  ],
  [OPERATIONS, put(["components", "parameters", "limit", "schema", "default"], 17)],
];

/** Compatible changes. */
export const ADDITIONS: [file: string, ...edits: Edit[]][] = [
  [
    PLATFORM,
    put(["paths", "/health/started"], {
      get: { operationId: "getStarted", responses: { "204": { description: "Yes." } } },
    }),
    put(["paths", "/health/ready", "get", "responses", "429"], { description: "Too often." }),
    put(["paths", "/health/ready", "get", "parameters"], [{ name: "deep", in: "query", schema: TEXT }]),
  ],
  [
    EVENTS,
    put(["channels", "integrationWebhook", "messages", "shiftMoved"], {
      name: "shift.moved",
      payload: { type: "object" },
    }),
    put(["info", "version"], "3.1.0"),
  ],
  [SHARED, put(["Receipt", "properties", "storedAt"], TEXT)],
  [PROVIDER, put(["info", "summary"], "Written in other words.")],
];
