import { isRecord, mapRecord, referenceTo } from "../schema.ts";
import { type Document, namedIn } from "./bundled.ts";

/** Any other media type of content that is read. */
const ANY_TYPE = "*/*";

/** Returns the document for senders: each complete schema has the place and the name of the received one. */
export function sentView(document: Document, complete: ReadonlyMap<string, string>): Document {
  const all = namedIn(document);
  const sent = Object.fromEntries([...complete].map(([name, form]) => [name, all[form] ?? {}]));
  const renamed = new Map([...complete].map(([name, form]) => [referenceTo(form), referenceTo(name)]));
  return pruned(rewritten(withNamed(document, { ...all, ...sent }), renamed));
}

/** Returns the document for receivers: what may arrive. */
export const readView = (document: Document): Document => pruned(document);

function rewritten(document: Document, renamed: ReadonlyMap<string, string>): Document {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    return isRecord(value) ? record(value) : value;
  };
  const record = (value: Readonly<Record<string, unknown>>): Document =>
    mapRecord(value, (item, key) => {
      if (key === "$ref") return renamed.get(String(item)) ?? item;
      if (key === "content" && isRecord(item)) return whole(labelled(item));
      return key === "example" || key === "examples" ? item : whole(item);
    });
  return record(document);
}

function labelled(content: Readonly<Record<string, unknown>>): object {
  const { [ANY_TYPE]: any, ...others } = content;
  return Object.keys(others).length > 0 ? others : { [ANY_TYPE]: any };
}

/** Removes the schemas that no reference leads to. */
function pruned(document: Document): Document {
  const all = namedIn(document);
  const kept = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isRecord(value)) return;
    for (const [key, item] of Object.entries(value)) {
      const [, name] = key === "$ref" ? (/^#\/components\/schemas\/(.+)$/.exec(String(item)) ?? []) : [];
      if (name === undefined) visit(item);
      else if (!kept.has(name)) {
        kept.add(name);
        visit(all[name]);
      }
    }
  };
  visit(withNamed(document, {}));
  return withNamed(document, Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name))));
}

function withNamed(document: Document, schemas: object): Document {
  const components = isRecord(document.components) ? document.components : {};
  return { ...document, components: { ...components, schemas } };
}
