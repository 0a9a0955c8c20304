import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { line, paragraphs } from "./markdown.ts";
import { pageOfDocument } from "./operations.ts";
import { resolve, schemaTable } from "./schema-table.ts";
import { codeBlock, EVENTS, shell } from "./shell.ts";
import type { Node, SpecFolder } from "./spec-folder.ts";

const DOCUMENT = "events.asyncapi.yaml";

interface Reference {
  $ref: string;
}

/** The parts of an AsyncAPI 3.0 document that are shown. */
interface AsyncApi {
  info: { version: string; description: string };
  servers: Record<string, { protocol: string; host: string }>;
  channels: Record<string, Channel>;
  operations: Record<string, { action: string; title: string; summary: string; channel: Reference }>;
  components: {
    messages: Record<string, Message>;
    securitySchemes: Record<string, { scheme: string; description: string }>;
  };
}

interface Channel {
  /** A reply has none. */
  address?: string;
  title: string;
  description: string;
  parameters?: Record<string, { description: string; examples?: string[] }>;
  messages: Record<string, Reference>;
}

interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  /** Of the response that a reply is. */
  bindings?: { http?: { statusCode?: number } };
  payload: Node;
  examples: { name: string; payload: Node }[];
}

export function eventsPage(spec: SpecFolder): string {
  const document = spec.files.get(DOCUMENT) as unknown as AsyncApi;
  const { info, channels, operations, components } = document;
  const senders = Object.entries(operations);
  return shell(
    EVENTS,
    markup`<h1>Events</h1>
<p class="lead">What a provider sends to the platform when a shift changes. Version ${info.version}, from <code>spec/${DOCUMENT}</code>.</p>
${contents(document)}
${paragraphs(info.description)}
<h2 id="channels">Where they are sent</h2>
${Object.entries(channels).map(([name, channel]) => channelPart(document, name, channel, senders))}
<h2 id="token">The token</h2>
${Object.values(components.securitySchemes).map(({ description }) => paragraphs(description))}
<h2 id="messages">The messages</h2>
${Object.values(components.messages).map((message) => messagePart(spec, message, hostOf(document)))}`,
  );
}

const hostOf = ({ servers }: AsyncApi): string => {
  const [server] = Object.values(servers);
  return `${server?.protocol}://${server?.host}`;
};

function contents({ components }: AsyncApi): Markup {
  const events = Object.values(components.messages).map(
    ({ name, title }) => markup`<li><a href="#${name}">${name}</a>: ${title}</li>`,
  );
  return markup`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>
<li><a href="#channels">Where they are sent</a></li><li><a href="#token">The token</a></li>${events}</ul></nav>`;
}

function channelPart(
  document: AsyncApi,
  name: string,
  { address, title, description, parameters = {}, messages }: Channel,
  senders: [string, AsyncApi["operations"][string]][],
): Markup {
  const operations = senders.filter(([, { channel }]) => channel.$ref === `#/channels/${name}`);
  const told = operations.map(
    ([id, { action, summary }]) =>
      markup`<p id="${id}">Operation <code>${id}</code> (${action}): ${summary}</p>`,
  );
  const inPath = Object.entries(parameters).map(
    ([parameter, about]) =>
      markup`<p>In the path, <code>{${parameter}}</code>: ${line(about.description)}${exampleOf(about.examples)}</p>`,
  );
  const carried = Object.keys(messages).map((key, index) => {
    const event = document.components.messages[key]?.name ?? key;
    return markup`${index === 0 ? " " : ", "}<a href="#${event}">${event}</a>`;
  });
  const where =
    address === undefined ? "" : codeBlock(`POST ${hostOf(document)}${address}`, `Address: ${title}`);
  return markup`<section id="${name}"><h3>${title}</h3>${where}
${paragraphs(description)}${inPath}${told}<p>Carries${carried}. As HTTP: <a href="${pageOfDocument("platform.openapi.yaml")}">the webhook API</a>.</p></section>`;
}

const exampleOf = (examples: readonly string[] = []): Markup =>
  markup`${examples.map((example) => markup` Such as <code>${example}</code>.`)}`;

function messagePart(spec: SpecFolder, message: Message, host: string): Markup {
  const { name, title, summary, contentType, payload, examples, bindings } = message;
  const isReply = bindings?.http?.statusCode !== undefined;
  const located = resolve(spec, payload, DOCUMENT);
  const told = String(located.schema.description ?? "");
  return markup`<section id="${name}"><h3>${name}</h3>
<p><strong>${title}.</strong> ${told.startsWith(summary) ? "" : line(summary)} Sent as <code>${contentType}</code>.</p>
${paragraphs(told)}
${schemaTable(spec, located, `Fields of ${name}`)}
${examples.map((example) => examplePart(name, example, isReply ? undefined : host))}</section>`;
}

/** @param host where it is sent; a reply is not */
function examplePart(event: string, { name, payload }: Message["examples"][number], host?: string): Markup {
  const shown = markup`<p>Example “${name}”:</p>${codeBlock(JSON.stringify(payload, undefined, 2), `Example of ${event}`)}`;
  if (host === undefined) return shown;
  const send = `curl -i ${host}/webhooks/scheduling-provider \\
  -H "Authorization: Bearer $PLATFORM_TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify(payload)}'`;
  return markup`${shown}
<p>The same by hand:</p>${codeBlock(send, `How to send ${event} with curl`)}`;
}
