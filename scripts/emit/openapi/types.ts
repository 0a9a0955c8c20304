import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { SpecDocument } from "../bundle.ts";
import { SpecFault } from "../fault.ts";
import { isRecord, isSchema, mapRecord, type NamedSchemas, type Schema } from "../schema.ts";
import { typeShape, typeShapes } from "./schemas.ts";

/** Names that the generated files themselves use. */
const RESERVED = [
  ...[
    "Message",
    "Record",
    "Operations",
    "Components",
    "Paths",
    "Client",
    "ClientOptions",
    "Middleware",
    "Token",
    "Validator",
  ],
  ...[
    "Router",
    "RouterOptions",
    "Handler",
    "Handlers",
    "OperationInfo",
    "OperationRequest",
    "OperationResponse",
  ],
  "ProblemError",
];

/** Returns TypeScript types for paths, operations and named schemas of an OpenAPI document. */
export async function emitTypes(document: SpecDocument): Promise<string> {
  const { paths = {}, components } = document.published;
  const { schemas: _schemas, examples: _examples, ...parts } = isRecord(components) ? components : {};
  return typesOf(document, { paths, components: parts });
}

/** Returns the types of a document that only has named schemas. */
export async function emitSchemaTypes(document: SpecDocument): Promise<string> {
  return typesOf(document, { paths: {}, components: {} });
}

/** Returns the parts of a document beside its schemas. */
interface Shell {
  readonly paths: unknown;
  readonly components: Readonly<Record<string, unknown>>;
}

async function typesOf(document: SpecDocument, shell: Shell): Promise<string> {
  const { schemas } = document;
  refuseReserved(document);
  const shapes = typeShapes(schemas);
  const paths = typed(shell.paths, shapes);
  const parts = mapRecord(shell.components, (part) => typed(part, shapes));
  const text = await printTypes({ paths, components: { ...parts, schemas: shapes } });
  return `${text}\n${aliases(schemas)}`;
}

/** Wraps openapi-typescript: a document in, TypeScript text out. */
async function printTypes(document: Record<string, unknown>): Promise<string> {
  const options = { silent: true, defaultNonNullable: false };
  const pseudo: unknown = { openapi: "3.1.0", info: { title: "", version: "" }, ...document };
  return astToString(await openapiTS(pseudo as OpenAPI3, options));
}

/** Returns the parts that decide a type: no examples, and of each schema its shape. */
function typed(value: unknown, schemas: NamedSchemas): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(item, schemas));
  if (!isRecord(value)) return value;
  const { example: _example, examples: _examples, ...rest } = value;
  return mapRecord(rest, (item, key) =>
    key === "schema" && isSchema(item) ? typeShape(item, schemas) : typed(item, schemas),
  );
}

function refuseReserved(document: SpecDocument): void {
  const name = Object.keys(document.schemas).find((each) => RESERVED.includes(each));
  if (name === undefined) return;
  const place = document.origins.get(name) ?? { document: document.file, pointer: "" };
  throw new SpecFault(place, `the name "${name}" is used by the generated code`, "choose another name");
}

/** Returns `export type Name = ...` for each named schema, so readers need not know its place. */
function aliases(schemas: NamedSchemas): string {
  return Object.entries(schemas)
    .map(([name, schema]) => `${comment(schema)}export type ${name} = components["schemas"]["${name}"];\n`)
    .join("");
}

function comment(schema: Schema): string {
  const description = typeof schema === "object" ? schema.description : undefined;
  return description === undefined ? "" : docComment(description);
}

export function docComment(text: string): string {
  const lines = text.trim().replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}
