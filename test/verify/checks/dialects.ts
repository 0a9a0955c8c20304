import type { Forms } from "../../../src/sandbox/shift-body.ts";

/** Correct providers that together use every form. */
export const dialects: readonly (readonly [name: string, dialect: Partial<Forms>])[] = [
  ["variant A, path", { routing: "path" }],
  ["variant A, header, 404, DELETE", { routing: "header", notFound: "404", unassign: "delete" }],
  ["variant A, minimal, gone, no registry", { acknowledgement: "minimal", deleted: "410", registry: false }],
  ["variant B, PUT, update without a body", { variant: "b", unassign: "put", updateAnswer: 204 }],
  ["variant B, cancelled as a status", { variant: "b", deleted: "cancelled", createAnswer: 200 }],
  ["variant B, header, echoes", { variant: "b", routing: "header", notFound: "404", assignEchoes: true }],
];

/** Only `YYYYMMDD-XXXX` finds candidates, which is a warning. */
export const hyphenatedOnly: Partial<Forms> = { variant: "b", personalNumbers: "hyphenated" };
