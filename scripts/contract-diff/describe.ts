import type { Difference } from "./redocly.ts";

/** Returns the name of the part of the document that a pointer leads to. */
export function placeOf(path: string): string {
  const [chapter, name, member, third] = tokens(path);
  if (name === undefined) return "the document";
  if (chapter === "paths")
    return /^[a-z]+$/.test(member ?? "") && member !== "parameters"
      ? `${member?.toUpperCase()} ${name}`
      : name;
  if (chapter === "channels")
    return member === "messages" && third ? `channel ${name}, message ${third}` : `channel ${name}`;
  if (chapter === "components") return member ?? name;
  return `${chapter?.replace(/s$/, "")} ${name}`;
}

/** Returns one sentence about the difference, from old to new. */
export function describe(difference: Difference): string {
  if (difference.kind !== "modified") return `${partOf(difference)} was ${difference.kind}.`;
  const { property = "", base, revision } = difference;
  if (property === "deprecated") return `It is ${revision?.value === true ? "" : "no longer "}deprecated.`;
  if (revision?.value === false && difference.typeName === "SchemaProperties")
    return `\`${property}\`${owner(revision)} is no longer allowed.`;
  if (property === "key") return `\`${show(base?.value)}\` became \`${show(revision?.value)}\`.`;
  const subject = `\`${property}\`${owner(revision?.value === undefined ? base : revision)}`;
  if (base?.value === undefined) return `${subject} was set to ${show(revision?.value)}.`;
  if (revision?.value === undefined) return `${subject} was removed; it was ${show(base.value)}.`;
  if (Array.isArray(base.value) || Array.isArray(revision.value)) {
    return `${subject} ${listChange(base.value, revision.value)}.`;
  }
  return `${subject} changed from ${show(base.value)} to ${show(revision.value)}.`;
}

/** Returns a compatible alternative. */
export function adviceOn({ kind, property, path }: Difference): string {
  if (kind === "removed") return "Keep it, marked deprecated, and add the new form beside it.";
  if (property === "required")
    return "Leave `required` unchanged: new members stay optional, and required ones stay required.";
  if (property === "enum") return "Keep the values, and add a separate field for the new ones.";
  if (/\/(oneOf|anyOf|allOf)\b/.test(path) && kind === "added")
    return "Add the new form as a separate field or operation.";
  if (kind === "added") return "Make it optional.";
  return "Keep the old form, and add the new one beside it.";
}

const NOUNS: Readonly<Record<string, string>> = {
  PathItem: "Path",
  MediaType: "Media type",
  SecurityScheme: "Security scheme",
  SecurityRequirement: "Security requirement",
};

function partOf({ typeName, path, base, revision }: Difference): string {
  const all = tokens(path);
  const last = all.at(-1) ?? "";
  const parent = all.at(-2) ?? "";
  const side = revision ?? base;
  if (parent === "properties") return `Property \`${last}\`${owner(side)}`;
  if (/^(oneOf|anyOf|allOf)$/.test(parent))
    return `Branch ${Number(last) + 1} of \`${parent}\`${owner(side)}`;
  if (last === "headers" && path.includes("/responses/"))
    return `Header ${Object.keys((side?.value ?? {}) as object)
      .map((each) => `\`${each}\``)
      .join(", ")}`;
  // Its name is known from the specification of the documents.
  if (KEYWORD.test(last)) return `\`${last}\`${owner(side)}`;
  const value = side?.value as { name?: unknown } | undefined;
  const name = /^\d+$/.test(last) && typeof value?.name === "string" ? value.name : last;
  return `${NOUNS[typeName] ?? typeName} \`${name}\``;
}

const KEYWORD =
  /^(allOf|anyOf|components|content|headers|items|messages|oneOf|payload|properties|schema|schemas|security|securitySchemes)$/;

/** Returns the property, schema or message that holds the target of a pointer. */
function owner(side: Difference["base"]): string {
  const rest = tokens(side?.pointer ?? "").slice(0, -1);
  while (rest.length > 0 && KEYWORD.test(rest.at(-1) ?? "")) rest.pop();
  const last = rest.at(-1);
  if (last === undefined) return "";
  if (!/^\d+$/.test(last)) return ` of \`${last}\``;
  return rest.at(-2) === "parameters" ? ` of parameter ${Number(last) + 1}` : "";
}

function listChange(before: unknown, after: unknown): string {
  const [old, now] = [[before].flat(), [after].flat()];
  const gained = now.filter((value) => !old.includes(value));
  const lost = old.filter((value) => !now.includes(value));
  const parts = [
    ...(gained.length > 0 ? [`gained ${gained.map(show).join(", ")}`] : []),
    ...(lost.length > 0 ? [`lost ${lost.map(show).join(", ")}`] : []),
  ];
  return parts.join(" and ") || "has another order";
}

function show(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function tokens(pointer: string): string[] {
  return pointer
    .replace(/^#\/?/, "")
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .filter((token) => token !== "");
}
