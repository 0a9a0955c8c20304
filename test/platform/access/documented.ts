import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { OperatorCreated, Role } from "../../../generated/operations/types.ts";
import type { TenantHarness } from "../../harness/tenants.ts";

/** What the documents say about one path and method of the platform. */
export interface Documented {
  /** The operationId; of an export, which is described in words, its path. */
  name: string;
  document: "platform" | "candidate" | "operations";
  method: string;
  /** From the root, with its parameters in braces. */
  path: string;
  /** Who may call it: everyone (with a link, where the path has its token), a provider, or an operator with a role. */
  needs: "open" | "provider" | { role: string };
  /** The parameters of the path and the query, and the fields of the body, that are ids. */
  ids: readonly string[];
}

type Node = Record<string, unknown>;

const METHODS = ["get", "post", "put", "patch", "delete"];
const BASES = { platform: "", candidate: "", operations: "/operations/v1" } as const;

/** Everything that the platform serves by its documents. Read from the documents, not from the tables that the server is generated with. */
export function documented(): Documented[] {
  return [
    ...operationsOf("platform"),
    ...operationsOf("candidate"),
    ...operationsOf("operations"),
    ...describedInWords(),
  ];
}

function operationsOf(document: keyof typeof BASES): Documented[] {
  const root = read(document);
  return Object.entries(root.paths as Record<string, Node>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, value]) => {
        const operation = value as Node;
        return {
          name: String(operation.operationId),
          document,
          method: method.toUpperCase(),
          path: BASES[document] + path,
          needs: needsOf((operation.security ?? root.security) as Requirement[]),
          ids: idsOf(root, item, operation),
        };
      }),
  );
}

const read = (name: string): Node =>
  parse(readFileSync(new URL(`../../../spec/${name}.openapi.yaml`, import.meta.url), "utf8"), {
    merge: true,
  });

/** The roles by what they may, each with all that the ones before it may: the table in the text of the document. */
export function rolesOfDocument(): string[] {
  const { description } = read("operations").info as { description: string };
  return [...description.matchAll(/^\| `(\w+)` \| /gm)].map(([, role = ""]) => role);
}

type Requirement = Record<string, string[]>;

/** @throws Error for a form of security that the matrix does not know, so that none is left out of it */
function needsOf(security: readonly Requirement[]): Documented["needs"] {
  const [first, ...rest] = security.flatMap((each) => Object.entries(each));
  if (first === undefined) return "open";
  const [scheme, [role, ...more]] = first;
  if (rest.length === 0 && scheme === "platformToken" && role === undefined) return "provider";
  if (rest.length === 0 && scheme === "operatorToken" && role !== undefined && more.length === 0)
    return { role };
  throw new Error(`the matrix has no callers for ${JSON.stringify(security)}`);
}

/** The exports answer with streams: the document describes them, with the role, in its text. */
function describedInWords(): Documented[] {
  const { description } = read("operations").info as { description: string };
  const found = description.matchAll(
    /`(GET) (\/operations\/v1\/\S+)`, (?:with the token of|for) an `?(\w+)/g,
  );
  return [...found].map(([, method = "", path = "", role = ""]) => ({
    name: path,
    document: "operations",
    method,
    path,
    needs: { role },
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => id),
  }));
}

const IS_ID = /Ids?$/;

function idsOf(root: Node, item: Node, operation: Node): string[] {
  const parameters = [...asList(item.parameters), ...asList(operation.parameters)].map((each) =>
    at(root, each),
  );
  const named = parameters.filter((each) => each.in !== "header").map(({ name }) => String(name));
  const content = (operation.requestBody as Node | undefined)?.content as Record<string, Node> | undefined;
  const fields = Object.values(content ?? {}).flatMap(({ schema }) => fieldsOf(root, schema));
  return [...new Set([...named, ...fields])].filter((name) => IS_ID.test(name));
}

const asList = (value: unknown) => (value ?? []) as Node[];

/** The node, or the one that its reference within the document names. */
function at(root: Node, node: Node): Node {
  const { $ref } = node;
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) return node;
  const found = $ref
    .slice(2)
    .split("/")
    .reduce<unknown>((within, key) => (within as Node)[key], root);
  return at(root, found as Node);
}

function fieldsOf(root: Node, schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, items } = at(root, schema as Node);
  const own = Object.entries((properties ?? {}) as Node);
  return [...own.flatMap(([name, value]) => [name, ...fieldsOf(root, value)]), ...fieldsOf(root, items)];
}

/** An operator with a name of its own. */
export async function addOperator({ operate }: TenantHarness, role: Role): Promise<OperatorCreated> {
  const { status, body, text } = await operate("POST", "/operators", {
    name: `${role} ${randomUUID()}`,
    role,
  });
  if (status !== 201) throw new Error(text);
  return body as OperatorCreated;
}
