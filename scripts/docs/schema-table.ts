import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { line } from "./markdown.ts";
import { scrolling } from "./shell.ts";
import { isNode, type Node, type SpecFolder } from "./spec-folder.ts";

interface Field {
  /** Dotted, as contract section 6 writes it: `content.shiftId`. */
  name: string;
  schema: Node;
  required: boolean;
}

/** A schema, with the file in which its references begin. */
export interface Located {
  schema: Node;
  file: string;
}

/** The fields of an object, those of objects in it below them. */
export function schemaTable(spec: SpecFolder, { schema, file }: Located, label: string): Markup {
  const rows = fieldsOf(spec, { schema, file }, "").map(
    (field) =>
      markup`<tr><th scope="row"><code>${field.name}</code></th><td>${typeOf(field.schema)}</td><td>${
        field.required ? "yes" : "no"
      }</td><td>${line(String(field.schema.description ?? ""))}</td></tr>`,
  );
  const head = ["field", "type", "required", "description"].map(
    (title) => markup`<th scope="col">${title}</th>`,
  );
  return scrolling(label, markup`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`);
}

function fieldsOf(spec: SpecFolder, { schema, file }: Located, prefix: string): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isNode(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.flatMap(([name, property]) => {
    const found = resolve(spec, property as Node, file);
    const field = { name: prefix + name, schema: found.schema, required: required.includes(name) };
    return [field, ...fieldsOf(spec, found, `${prefix}${name}.`)];
  });
}

export function resolve(spec: SpecFolder, schema: Node, file: string): Located {
  if (typeof schema.$ref !== "string") return { schema, file };
  const { value, file: where } = spec.follow(schema.$ref, file);
  return resolve(spec, value, where);
}

function typeOf({ type, const: constant, enum: values, format, pattern }: Node): Markup {
  if (constant !== undefined) return markup`<code>${String(constant)}</code>`;
  if (Array.isArray(values)) return markup`${values.map((value) => markup`<code>${String(value)}</code> `)}`;
  const kind = String(type ?? "any");
  if (typeof format === "string") return markup`${kind} (${format === "uuid" ? "UUID" : format})`;
  return typeof pattern === "string" ? markup`${kind} <code>${pattern}</code>` : markup`${kind}`;
}
