import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { SpecDocument } from "../bundle.ts";
import { type Faults, SpecFault } from "../fault.ts";
import {
  isFree,
  isRecord,
  isSchema,
  mapRecord,
  type NamedSchemas,
  only,
  recordOf,
  type Schema,
} from "../schema.ts";
import { typeShape, typeShapes } from "./schemas.ts";

/** Names that the generated files themselves use. */
const RESERVED = [
  ...["Message", "Record", "Operations", "Components", "Paths", "Validator"],
  ...["Client", "ClientOptions", "Middleware", "Token"],
  ...["Router", "RouterOptions", "Handler", "Handlers", "ProblemError"],
  ...["OperationInfo", "OperationRequest", "OperationResponse"],
];

/** Refuses the names that the generated code needs. */
export function refuseReserved({ schemas, origins, file }: SpecDocument, faults: Faults): void {
  for (const name of Object.keys(schemas).filter((each) => RESERVED.includes(each))) {
    const place = origins.get(name) ?? { document: file, pointer: "" };
    const problem = `the name "${name}" is used by the generated code`;
    faults.add(new SpecFault(place, problem, "choose another name"));
  }
}

/** Returns TypeScript types for the named schemas of a document; of an OpenAPI document also for paths and operations. */
export async function emitTypes({ kind, published, schemas }: SpecDocument): Promise<string> {
  const { paths = {}, components } = kind === "openapi" ? published : {};
  const { schemas: _schemas, ...parts } = recordOf(components);
  const shapes = typeShapes(schemas);
  const shaped = recordOf(typed(parts, shapes));
  const text = await printTypes({ paths: typed(paths, shapes), components: { ...shaped, schemas: shapes } });
  return `${text}\n${aliases(schemas)}`;
}

/** Wraps openapi-typescript: a document in, TypeScript text out. */
async function printTypes(document: Record<string, unknown>): Promise<string> {
  const options = { silent: true, defaultNonNullable: false };
  const pseudo: unknown = { openapi: "3.1.0", info: { title: "", version: "" }, ...document };
  return astToString(await openapiTS(pseudo as OpenAPI3, options));
}

/** Returns the parts that decide a type: no examples, and of each schema its shape. */
function typed(value: unknown, schemas: NamedSchemas, holder = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(item, schemas));
  if (!isRecord(value)) return value;
  const parts = only(value, (key) => !isFree(key, holder));
  return mapRecord(parts, (item, key) =>
    key === "schema" && isSchema(item) ? typeShape(item, schemas) : typed(item, schemas, key),
  );
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
