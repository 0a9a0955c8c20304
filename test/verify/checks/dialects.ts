import type { Forms } from "../../../src/sandbox/forms.ts";

/** Correct providers of many forms: each form stands in at least one of them. */
export const dialects: readonly (readonly [name: string, dialect: Partial<Forms>])[] = [
  ["variant A, path", { routing: "path" }],
  ["variant A, header, 404, DELETE", { routing: "header", notFound: "404", unassign: "delete" }],
  ["variant A, minimal, gone, no registry", { acknowledgement: "minimal", deleted: "410", registry: false }],
  ["variant B, PUT, no answer to an update", { variant: "b", unassign: "put", updateAnswer: 204 }],
  ["variant B, cancelled as a status", { variant: "b", deleted: "cancelled", createAnswer: 200 }],
  ["variant B, header, echoes", { variant: "b", routing: "header", notFound: "404", assignEchoes: true }],
];

/** Finds candidates under `YYYYMMDD-XXXX` only: correct, and worth a warning. */
export const hyphenatedOnly: Partial<Forms> = { variant: "b", personalNumbers: "hyphenated" };
