/** Options of a provider's OpenAPI document. */
export interface DocumentForms {
  routing: "path" | "header";
  variant: "a" | "b";
  unassign: "put" | "delete";
  acknowledgement: "body" | "none";
  registry: boolean;
  /** Path in the server's URL. */
  base: string;
}

const FORMS: DocumentForms = {
  routing: "path",
  variant: "a",
  unassign: "put",
  acknowledgement: "body",
  registry: false,
  base: "",
};

export type Json = Record<string, unknown>;

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const REFUSALS = Object.fromEntries(
  [400, 401, 403, 404, 409, 410].map((status) => [status, { description: "refused" }]),
);

const SHARED = { id: text, startTime: time, endTime: time, outletId: text, roleId: text };
const SHIFTS = {
  a: {
    type: "object",
    required: ["id", "startTime", "endTime", "outletId", "roleId", "slots", "assignedCandidates"],
    properties: {
      ...SHARED,
      slots: { type: "integer" },
      outletName: text,
      roleName: text,
      assignedCandidates: {
        type: "array",
        items: { type: "object", required: ["candidateId"], properties: { candidateId: text } },
      },
    },
  },
  b: {
    type: "object",
    properties: {
      ...SHARED,
      numberOfPositions: { type: "number" },
      breakMinutes: { type: "number" },
      status: { type: "string", enum: ["open", "filled", "cancelled"] },
      description: text,
      createdAt: time,
      updatedAt: time,
      assignedCandidates: {
        type: "array",
        items: { type: "object", properties: { id: text, personalNumber: text } },
      },
    },
  },
} as const;

const PERSON = { personalNumber: text, firstName: text, lastName: text, email: text, phone: text };

function schemas({ variant }: DocumentForms): Json {
  return {
    Shift: SHIFTS[variant],
    Candidate: { type: "object", properties: { id: text, ...PERSON } },
    NewCandidate: { type: "object", required: Object.keys(PERSON), properties: PERSON },
    ShiftUpdate: {
      type: "object",
      required: ["startTime", "endTime"],
      properties: {
        startTime: time,
        endTime: time,
        slots: { type: "integer" },
        numberOfPositions: { type: "integer" },
      },
    },
    Outlet: { type: "object", properties: { id: text, name: text, address: { type: ["string", "null"] } } },
    Role: { type: "object", properties: { id: text, name: text } },
    Acknowledgement: {
      type: "object",
      properties: { success: { type: "boolean" }, shiftId: text, candidateId: text, assignedAt: time },
    },
  };
}

const answered = (status: number, body?: unknown) => ({
  responses: { [status]: { description: "done", ...(body !== undefined && json(body)) }, ...REFUSALS },
});

function paths(forms: DocumentForms): Record<string, Json> {
  const acknowledged =
    forms.acknowledgement === "body" ? answered(200, ref("Acknowledgement")) : answered(204);
  const assign: Json = { put: acknowledged, ...(forms.unassign === "delete" && { delete: answered(204) }) };
  const query = { name: "personalNumber", in: "query", schema: text };
  return {
    "/shifts/{id}": {
      get: answered(200, ref("Shift")),
      put: { requestBody: json(ref("ShiftUpdate")), ...answered(200, ref("Shift")) },
      delete: answered(204),
    },
    "/shifts/{id}/assign/{person}": assign,
    ...(forms.unassign === "put" && { "/shifts/{id}/unassign/{person}": { put: answered(204) } }),
    "/candidates": {
      get: { parameters: [query], ...answered(200, { type: "array", items: ref("Candidate") }) },
      post: { requestBody: json(ref("NewCandidate")), ...answered(201, ref("Candidate")) },
    },
    "/outlets": { get: answered(200, { type: "array", items: ref("Outlet") }) },
    "/roles": { get: answered(200, { type: "array", items: ref("Role") }) },
    ...(forms.registry && { "/candidates/registry": { get: answered(200, REGISTRY) } }),
    "/shifts/{id}/candidates": { get: answered(200, { type: "array", items: text }) },
  };
}

const parts = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const ENTRY = {
  id: text,
  employeeNumber: text,
  ...PERSON,
  address: text,
  postCode: text,
  city: text,
  countryCode: text,
  emergencyContact: parts("name", "phone", "relationship"),
  bankDetails: parts("clearingNumber", "accountNumber"),
  workHistory: {
    type: "array",
    items: parts("shiftId", "date", "roleId", "roleName", "outletId", "outletName"),
  },
};

const REGISTRY = {
  type: "object",
  properties: {
    nextCursor: text,
    candidates: {
      type: "array",
      items: { type: "object", properties: ENTRY },
    },
  },
};

/** Returns the parameters of a path, and with header routing the tenant header. */
function parametersOf(path: string, { routing }: DocumentForms) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  return [
    ...names.map((name) => ({ name, in: "path", required: true, schema: text })),
    ...(routing === "header" ? [{ name: "X-Provider-Id", in: "header", required: true, schema: text }] : []),
  ];
}

export interface ProviderDocument extends Json {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

/** Returns a correct document with these forms, for a test to change. */
export function providerDocument(changed: Partial<DocumentForms> = {}): ProviderDocument {
  const forms = { ...FORMS, ...changed };
  const prefix = forms.routing === "path" ? "/providers/{organisation}" : "";
  const items = Object.entries(paths(forms)).map(([path, item]) => [
    `${prefix}${path}`,
    { parameters: parametersOf(`${prefix}${path}`, forms), ...item },
  ]);
  return structuredClone({
    openapi: "3.1.0",
    info: { title: "A provider", version: "1" },
    servers: [{ url: `https://provider.example${forms.base}` }],
    security: [{ token: [] }],
    paths: Object.fromEntries(items),
    components: {
      schemas: schemas(forms) as Record<string, Json>,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  });
}
