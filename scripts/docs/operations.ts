import { isNode, type Node, nodesBelow, type Place, pointerOf, type SpecFolder } from "./spec-folder.ts";

/** An operation of one of the OpenAPI documents, and its place on that document's page. */
export interface Operation extends Place {
  operationId: string;
  method: string;
  path: string;
  summary: string;
  href: string;
  /** Every part of the spec that it refers to, directly or not, as `file#pointer`. */
  reaches: ReadonlySet<string>;
}

const METHODS = ["get", "put", "post", "delete", "patch"];

export const pageOfDocument = (file: string): string => file.replace(/\.(openapi|asyncapi)\.yaml$/, ".html");

export function operationsOf(spec: SpecFolder): Operation[] {
  const documents = [...spec.files].filter(([file]) => file.endsWith(".openapi.yaml"));
  return documents.flatMap(([file, document]) => {
    const paths = isNode(document.paths) ? Object.entries(document.paths) : [];
    return paths.flatMap(([path, item]) => (isNode(item) ? operationsAt(spec, file, path, item) : []));
  });
}

function operationsAt(spec: SpecFolder, file: string, path: string, item: Node): Operation[] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    if (!isNode(operation)) return [];
    const {
      operationId,
      summary = "",
      tags,
    } = operation as {
      operationId: string;
      summary?: string;
      tags: [string];
    };
    const reaches = new Set<string>();
    collectReferences(spec, file, [item.parameters, operation], reaches);
    const place = { file, pointer: pointerOf(["paths", path, method]) };
    const href = `${pageOfDocument(file)}#/${anchor(tags[0])}/${anchor(operationId)}`;
    return { ...place, operationId, method: method.toUpperCase(), path, summary, href, reaches };
  });
}

/** As Redoc names the sections of its pages; test/package/docs.test.ts opens each in a browser. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

function collectReferences(spec: SpecFolder, file: string, value: unknown, into: Set<string>): void {
  for (const { node } of nodesBelow(value)) {
    if (typeof node.$ref !== "string") continue;
    const target = spec.follow(node.$ref, file);
    const key = `${target.file}#${target.pointer}`;
    if (into.has(key)) continue;
    into.add(key);
    collectReferences(spec, target.file, target.value, into);
  }
}
