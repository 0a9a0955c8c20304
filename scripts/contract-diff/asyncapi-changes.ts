import { isDeepStrictEqual } from "node:util";
import { at } from "../emit/fault.ts";
import type { Located } from "../emit/located.ts";
import { recordOf } from "../emit/schema.ts";
import { addressValues, componentChanges, schemeChanges } from "./openapi-changes.ts";
import { BOTH, type Broken, CLIENT, NONE, SERVER } from "./report.ts";
import type { Flow } from "./schema-changes.ts";
import { lastOf, type Pair, shapeOf, type Walk } from "./walk.ts";

/** Compares AsyncAPI documents: the server sends events, the client reads them; a reply goes the other way. Readers ignore unknown events. */
export function asyncapiChanges(walk: Walk): void {
  const { root } = walk;
  const parts = [
    "asyncapi",
    "id",
    "info",
    "servers",
    "channels",
    "operations",
    "components",
    "defaultContentType",
  ];
  walk.others(root, "the document", parts);
  walk.others(walk.below(root, "info"), "the document", []);
  walk.value(root, "defaultContentType", "the document", BOTH);
  for (const [name, server] of walk.members(walk.below(root, "servers")))
    serverChanges(walk, server, `server ${name}`);
  const flows = flowsOf(walk);
  for (const [name, channel] of walk.members(walk.below(root, "channels"))) {
    const place = `channel ${name}`;
    if (!walk.isInBoth(channel, place, `Channel \`${name}\``, { removed: CLIENT })) continue;
    channelChanges(walk, channel, place, flows.get(name) ?? ["response"]);
  }
  operations(walk);
  componentChanges(walk);
}

function serverChanges(walk: Walk, server: Pair, place: string): void {
  if (!walk.isInBoth(server, place, `Server \`${lastOf(server)}\``, { removed: BOTH })) return;
  for (const key of ["host", "protocol", "pathname"]) walk.value(server, key, place, BOTH);
  walk.others(server, place, ["host", "protocol", "pathname", "variables", "security"]);
  for (const [, variable] of walk.members(walk.below(server, "variables")))
    addressValues(walk, variable, place, SERVER, CLIENT);
  const list = walk.below(server, "security");
  if (!list.a !== !list.b) walk.value(server, "security", place, list.b ? SERVER : CLIENT);
  // Each is an alternative for the sender.
  for (const [name, scheme] of walk.members(list, targetOf)) {
    const broken = list.a && list.b ? { added: CLIENT, removed: SERVER } : {};
    if (walk.isInBoth(scheme, place, `Security scheme \`${name}\``, broken))
      schemeChanges(walk, scheme, place);
  }
}

const targetOf = ({ place }: Located) => lastOf({ b: { place } as Located });

/** Returns who sends in each channel. */
function flowsOf(walk: Walk): Map<string, Flow[]> {
  const flows = new Map<string, Flow[]>();
  const add = (channel: Pair, flow: Flow) => {
    if (!channel.a && !channel.b) return;
    const known = flows.get(lastOf(channel)) ?? [];
    flows.set(lastOf(channel), known.includes(flow) ? known : [...known, flow]);
  };
  for (const [, operation] of walk.members(walk.below(walk.root, "operations"))) {
    const isSent = recordOf((operation.b ?? operation.a)?.value).action === "send";
    add(walk.below(operation, "channel"), isSent ? "response" : "request");
    add(walk.below(operation, "reply", "channel"), isSent ? "request" : "response");
  }
  return flows;
}

function channelChanges(walk: Walk, channel: Pair, place: string, flows: readonly Flow[]): void {
  const [before, after] = [channel.a, channel.b].map((side) => shapeOf(recordOf(side?.value).address));
  walk.value(channel, "address", place, before === after ? NONE : BOTH);
  walk.value(channel, "bindings", place, BOTH);
  walk.others(channel, place, ["address", "bindings", "servers", "parameters", "messages"]);
  listed(walk, channel, "servers", place, "Server");
  for (const [, parameter] of walk.members(walk.below(channel, "parameters")))
    addressValues(walk, parameter, place, SERVER, CLIENT);
  for (const [name, message] of walk.members(walk.below(channel, "messages"))) {
    const where = `${place}, message ${name}`;
    const lost = flows.includes("response") ? CLIENT : SERVER;
    if (!walk.isInBoth(message, where, `Message \`${name}\``, { removed: lost })) continue;
    for (const flow of flows) messageChanges(walk, message, where, flow);
  }
}

function messageChanges(walk: Walk, message: Pair, place: string, flow: Flow): void {
  for (const key of ["name", "contentType", "correlationId"]) walk.value(message, key, place, BOTH);
  walk.value(message, "bindings", place, BOTH);
  walk.others(message, place, ["name", "contentType", "correlationId", "bindings", "headers", "payload"]);
  walk.schema(message, "headers", place, flow);
  walk.schema(message, "payload", place, flow);
}

function operations(walk: Walk): void {
  for (const [name, operation] of walk.members(walk.below(walk.root, "operations"))) {
    const place = `operation ${name}`;
    if (!walk.isInBoth(operation, place, `Operation \`${name}\``, { removed: CLIENT })) continue;
    walk.value(operation, "action", place, BOTH);
    walk.value(operation, "bindings", place, BOTH);
    walk.others(operation, place, ["action", "bindings", "channel", "messages", "reply", "security"]);
    sameTarget(walk, operation, "channel", place);
    listed(walk, operation, "messages", place, "Message");
    const reply = walk.below(operation, "reply");
    if (!walk.isInBoth(reply, place, "The reply", { added: BOTH, removed: BOTH })) continue;
    sameTarget(walk, reply, "channel", place);
    listed(walk, reply, "messages", place, "Message");
    walk.others(reply, place, ["channel", "messages"]);
  }
}

function sameTarget(walk: Walk, pair: Pair, key: string, place: string): void {
  const { a, b } = walk.below(pair, key);
  const isSame = isDeepStrictEqual(a?.place.pointer, b?.place.pointer);
  if (!isSame) walk.report(pair, place, `\`${key}\` changed.`, BOTH);
}

/** Compares a list of references, by the names of their targets. */
function listed(walk: Walk, holder: Pair, key: string, place: string, noun: string): void {
  const list = walk.below(holder, key);
  if (!list.a || !list.b) return;
  for (const [target, { a, b }] of walk.members(list, targetOf)) {
    const { name = target } = recordOf((b ?? a)?.value);
    const item = {
      a: a && list.a && { ...a, place: at(list.a.place, target) },
      b: b && list.b && { ...b, place: at(list.b.place, target) },
    };
    const broken: { removed: Broken } = { removed: CLIENT };
    walk.isInBoth(item, place, `${noun} \`${name}\``, broken);
  }
}
