import { distance } from "fastest-levenshtein";
import type { SpecDocument } from "./bundle.ts";
import { at, ensure, type Faults, type Place, pointerStep, refuseRepeated } from "./fault.ts";
import { isRecord, isSchema, mapRecord, onlyReference, recordOf, type Schema } from "./schema.ts";

/** A Message Object (AsyncAPI 3.0) with the schema of its payload and the channels that carry it. */
interface Message {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly schemaName: string;
  readonly channels: readonly string[];
}

/** Returns the document with each payload as a named schema, and the text after the types of those. */
export function emitMessages(
  document: SpecDocument,
  faults: Faults,
): { document: SpecDocument; text: string } {
  const place = { document: document.file, pointer: "" };
  const schemas: Record<string, Schema> = { ...document.schemas };
  const origins = new Map(document.origins);
  const below = at(place, "components", "messages");
  const messages = sentMessages(document).flatMap(([key, message, channels]): Message[] => {
    const where = at(below, key);
    const payload = faults.try(() => payloadOf(message, where));
    if (payload === undefined) return [];
    const schemaName = onlyReference(payload) ?? liftedName(key, where, schemas);
    if (onlyReference(payload) === undefined) {
      schemas[schemaName] = payload;
      origins.set(schemaName, at(where, "payload"));
    }
    const { name, title, summary } = mapRecord(message, textOf);
    return [{ key, name: name || key, title: title ?? "", summary: summary ?? "", schemaName, channels }];
  });
  refuseRepeated(
    faults,
    messages,
    ({ name }) => name,
    ({ key, name }) => [
      at(below, key, "name"),
      `another message is named "${name}"`,
      "give each its own name",
    ],
  );
  refuseUnsent(document, place, faults);
  return { document: { ...document, schemas, origins }, text: printMessages(messages) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

const messagesOf = (holder: unknown) => recordOf(recordOf(holder).messages);

const channelsOf = ({ root }: SpecDocument) => Object.entries(recordOf(root.channels));

/** Refuses a message inside a channel, and one that no channel carries, or that no operation of its channel lists: it would never be sent. */
function refuseUnsent(document: SpecDocument, place: Place, faults: Faults): void {
  const { components, operations } = document.root;
  const receiving = Object.values(recordOf(operations)).flatMap((each) => [
    recordOf(each),
    recordOf(recordOf(each).reply),
  ]);
  const carried: string[] = [];
  for (const [key, channel] of channelsOf(document)) {
    const own = at(place, "channels", key);
    const using = receiving.filter((each) => recordOf(each.channel).$ref === `#${own.pointer}`);
    // An operation without a list takes every message of its channel.
    const takesAll = using.length === 0 || using.some(({ messages }) => messages === undefined);
    const listed = using.flatMap(({ messages }) => referencesIn(messages));
    for (const [name, message] of Object.entries(messagesOf(channel))) {
      const where = at(own, "messages", name);
      const reference = String(recordOf(message).$ref);
      const isNamed = reference.startsWith("#/components/messages/");
      const isListed = takesAll || listed.includes(`#${where.pointer}`);
      const advice = "add it to the messages of the operation, or remove it";
      carried.push(reference);
      faults.try(() => {
        ensure(isNamed, where, "the message is not in components.messages", "move it there and refer to it");
        ensure(isListed, where, "no operation of this channel lists the message", advice);
      });
    }
  }
  for (const key of Object.keys(messagesOf(components))) {
    const where = at(place, "components", "messages", key);
    const advice = "add it to the messages of a channel, or remove it";
    const isCarried = carried.includes(`#${where.pointer}`);
    faults.try(() => ensure(isCarried, where, "no channel carries the message", advice));
  }
}

const referencesIn = (values: unknown): unknown[] =>
  Object.values(values ?? {}).map((value) => recordOf(value).$ref);

/** Returns the sent messages with the addresses that carry them; a reply belongs to the request, and its channel has no address. */
function sentMessages(document: SpecDocument): [key: string, Record<string, unknown>, channels: string[]][] {
  return Object.entries(messagesOf(document.root.components)).flatMap(([key, message]) => {
    const reference = `#/components/messages${pointerStep(key)}`;
    const carrying = channelsOf(document).filter(([, each]) =>
      referencesIn(messagesOf(each)).includes(reference),
    );
    const addresses = carrying.map(([, channel]) => String(recordOf(channel).address ?? ""));
    return isRecord(message) && !addresses.includes("") ? [[key, message, addresses]] : [];
  });
}

function payloadOf({ $ref, payload }: Record<string, unknown>, place: Place): Schema {
  const isReference = typeof $ref === "string";
  ensure(!isReference, place, "references to messages are not supported here", "write the message out");
  ensure(isSchema(payload), place, "the message has no payload", "give it a schema as payload");
  return payload;
}

function liftedName(key: string, place: Place, schemas: Readonly<Record<string, Schema>>): string {
  const name = key.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, first: string) => first.toUpperCase());
  const isFree = /^[A-Z]/.test(name) && !(name in schemas);
  const advice = "name it in components.schemas and refer to it";
  ensure(isFree, place, `the payload cannot be named "${name}"`, advice);
  return name;
}

function printMessages(messages: readonly Message[]): string {
  const names = [...new Set(messages.map((message) => message.schemaName))];
  const table = messages.map(({ name, title, summary, schemaName, channels }) => {
    return `${JSON.stringify(name)}: ${JSON.stringify({ title, summary, schema: schemaName, channels })},\n`;
  });
  return `
/** The payload of any message. */
export type Message = ${names.length === 0 ? "never" : names.join(" | ")};

/** Every message by its name: its text, the schema of its payload and the addresses that carry it. */
export const messages = {
${table.join("")}} as const;
`;
}

/** Returns the word that needs the fewest letters changed to become `text`; undefined if none is near. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, apart: distance(text.toLowerCase(), word.toLowerCase()) }));
  const [best] = ranked.sort((one, other) => one.apart - other.apart);
  // Two letters that are exchanged count as two changes.
  return best !== undefined && best.apart <= Math.max(2, Math.floor(text.length / 3)) ? best.word : undefined;
}
