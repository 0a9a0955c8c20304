import { bundle, type SpecDocument } from "../emit/bundle.ts";
import { documentFiles, yamlFiles } from "../emit/files.ts";
import { isRecord } from "../emit/schema.ts";

/** An operation of an OpenAPI document, and its place on that document's page. */
export interface Operation {
  operationId: string;
  summary: string;
  href: string;
  /** The operation as JSON, its shared responses included. */
  text: string;
}

export function operationsIn(specFolder: string): Operation[] {
  const files = yamlFiles(specFolder);
  const documents = documentFiles(specFolder).filter(({ kind }) => kind === "openapi");
  return documents.map((file) => bundle(file, files)).flatMap(operationsOf);
}

function operationsOf({ name, root }: SpecDocument): Operation[] {
  const items = Object.values(isRecord(root.paths) ? root.paths : {}).filter(isRecord);
  return items.flatMap(Object.values).flatMap((operation: unknown) => {
    if (!isRecord(operation) || typeof operation.operationId !== "string") return [];
    const { operationId, summary = "", tags } = operation;
    const [tag] = Array.isArray(tags) ? tags : [];
    const href = `${name}.html#/${anchor(String(tag))}/${anchor(operationId)}`;
    return [{ operationId, summary: String(summary), href, text: JSON.stringify(operation) }];
  });
}

/** Returns the name of a section of a Redoc page; test/package/docs.test.ts opens each in a browser. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
