import type { SpecDocument } from "./bundle.ts";
import { at, type Place, pointerStep, SpecFault } from "./fault.ts";
import { isRecord, isSchema, onlyReference, type Schema } from "./schema.ts";

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
export function emitMessages(document: SpecDocument): { lifted: SpecDocument; text: string } {
  const version = String(document.root.asyncapi);
  const place = { document: document.file, pointer: "" };
  if (!version.startsWith("3.0")) {
    throw new SpecFault(at(place, "asyncapi"), `version ${version} is not supported`, "write AsyncAPI 3.0");
  }
  refuseInlineMessages(document, at(place, "channels"));
  const schemas: Record<string, Schema> = { ...document.schemas };
  const origins = new Map(document.origins);
  const messages = messageEntries(document).map(([key, message]) => {
    const where = at(place, "components", "messages", key);
    const payload = payloadOf(message, where);
    const schemaName = onlyReference(payload) ?? liftedName(key, where, schemas);
    if (onlyReference(payload) === undefined) {
      schemas[schemaName] = payload;
      origins.set(schemaName, at(where, "payload"));
    }
    return messageOf(document, key, message, schemaName);
  });
  const twice = messages.find(({ name }, index) => messages.findIndex((each) => each.name === name) < index);
  if (twice !== undefined)
    throw new SpecFault(
      at(place, "components", "messages", twice.key, "name"),
      `another message is named "${twice.name}"`,
      "give each its own name",
    );
  refuseUnlisted(document, place);
  return { lifted: { ...document, schemas, origins }, text: printMessages(messages) };
}

/** Refuses a message that no channel carries, or that no operation of its channel lists: it would never be sent. */
function refuseUnlisted({ root }: SpecDocument, place: Place): void {
  const channels = Object.entries(recordOf(root.channels));
  const carried = channels.flatMap(([, channel]) => referencesIn(recordOf(channel).messages));
  for (const key of Object.keys(recordOf(recordOf(root.components).messages)))
    if (!carried.includes(`#/components/messages${pointerStep(key)}`))
      throw new SpecFault(
        at(place, "components", "messages", key),
        "no channel carries the message",
        "add it to the messages of a channel, or remove it",
      );
  const operations = Object.values(recordOf(root.operations)).flatMap((each) => [
    recordOf(each),
    recordOf(recordOf(each).reply),
  ]);
  for (const [key, channel] of channels) {
    const own = `#/channels${pointerStep(key)}`;
    const using = operations.filter((operation) => referencesIn([operation.channel]).includes(own));
    // An operation without a list takes every message of its channel.
    if (using.length === 0 || using.some(({ messages }) => messages === undefined)) continue;
    const listed = using.flatMap(({ messages }) => referencesIn(messages));
    for (const name of Object.keys(recordOf(recordOf(channel).messages)))
      if (!listed.includes(`${own}/messages${pointerStep(name)}`))
        throw new SpecFault(
          at(place, "channels", key, "messages", name),
          "no operation of this channel lists the message",
          "add it to the messages of the operation, or remove it",
        );
  }
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

const referencesIn = (values: unknown): unknown[] =>
  Object.values(isRecord(values) || Array.isArray(values) ? values : {}).map((value) => recordOf(value).$ref);

/** Returns the sent messages; a reply belongs to the request, and its channel has no address. */
function messageEntries(document: SpecDocument): [string, Record<string, unknown>][] {
  const { components } = document.root;
  const messages = isRecord(components) && isRecord(components.messages) ? components.messages : {};
  const isReply = (key: string): boolean =>
    channelsOf(document, `#/components/messages${pointerStep(key)}`).includes("");
  return Object.entries(messages).flatMap(([key, message]) =>
    isRecord(message) && !isReply(key) ? [[key, message]] : [],
  );
}

/** Refuses a message inside a channel, which would be ignored. */
function refuseInlineMessages(document: SpecDocument, place: Place): void {
  for (const [key, channel] of Object.entries(
    isRecord(document.root.channels) ? document.root.channels : {},
  )) {
    const messages = isRecord(channel) && isRecord(channel.messages) ? channel.messages : {};
    for (const [name, message] of Object.entries(messages)) {
      if (isRecord(message) && String(message.$ref).startsWith("#/components/messages/")) continue;
      const where = at(place, key, "messages", name);
      throw new SpecFault(
        where,
        "the message is not in components.messages",
        "move it there and refer to it",
      );
    }
  }
}

function payloadOf(message: Record<string, unknown>, place: Place): Schema {
  const { payload } = message;
  if (typeof message.$ref === "string")
    throw new SpecFault(place, "references to messages are not supported here", "write the message out");
  if (!isSchema(payload))
    throw new SpecFault(place, "the message has no payload", "give it a schema as payload");
  return payload;
}

function liftedName(key: string, place: Place, schemas: Readonly<Record<string, Schema>>): string {
  const name = key.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, first: string) => first.toUpperCase());
  if (!/^[A-Z]/.test(name) || name in schemas) {
    throw new SpecFault(
      place,
      `the payload cannot be named "${name}"`,
      "name it in components.schemas and refer to it",
    );
  }
  return name;
}

function messageOf(
  document: SpecDocument,
  key: string,
  message: Record<string, unknown>,
  schemaName: string,
): Message {
  const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
  return {
    key,
    name: text(message.name) || key,
    title: text(message.title),
    summary: text(message.summary),
    schemaName,
    channels: channelsOf(document, `#/components/messages${pointerStep(key)}`),
  };
}

function channelsOf(document: SpecDocument, reference: string): string[] {
  const channels = isRecord(document.root.channels) ? Object.values(document.root.channels) : [];
  return channels.flatMap((channel) => {
    const messages = isRecord(channel) && isRecord(channel.messages) ? Object.values(channel.messages) : [];
    const carries = messages.some((message) => isRecord(message) && message.$ref === reference);
    return isRecord(channel) && carries ? [String(channel.address ?? "")] : [];
  });
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
