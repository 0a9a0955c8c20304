import { isRecord, only, recordOf, referenceTo, referredName } from "../schema.ts";
import { type Document, mapParts, namedIn } from "./bundled.ts";

/** Any other media type of content that is read. */
const ANY_TYPE = "*/*";

/** Returns the document for senders: each complete schema has the place and the name of the received one. */
export function sentView(document: Document, complete: ReadonlyMap<string, string>): Document {
  const all = namedIn(document);
  const sent = Object.fromEntries([...complete].map(([name, form]) => [name, all[form] ?? {}]));
  const renamed = new Map([...complete].map(([name, form]) => [referenceTo(form), referenceTo(name)]));
  return readView(rewritten(withNamed(document, { ...all, ...sent }), renamed));
}

function rewritten(document: Document, renamed: ReadonlyMap<string, string>): Document {
  return mapParts(document, (part, key) => {
    if (key === "$ref") return renamed.get(String(part));
    return key === "content" && isRecord(part) ? rewritten(labelled(part), renamed) : undefined;
  });
}

function labelled(content: Document): Document {
  const { [ANY_TYPE]: any, ...others } = content;
  return Object.keys(others).length > 0 ? others : { [ANY_TYPE]: any };
}

/** Returns the document for receivers: what may arrive, without the schemas that no reference leads to. */
export function readView(document: Document): Document {
  const all = namedIn(document);
  const kept = new Set<string>();
  const visit = (value: Document): unknown =>
    mapParts(value, (part, key) => {
      const name = key === "$ref" ? referredName(String(part)) : undefined;
      if (name === undefined || kept.has(name)) return undefined;
      kept.add(name);
      return visit({ schema: all[name] });
    });
  visit(withNamed(document, {}));
  return withNamed(
    document,
    only(all, (name) => kept.has(name)),
  );
}

function withNamed(document: Document, schemas: object): Document {
  return { ...document, components: { ...recordOf(document.components), schemas } };
}
