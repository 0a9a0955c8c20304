import { UNSUPPORTED } from "./emit/ajv/keywords.ts";
import { FORMATS } from "./emit/formats.ts";
import { ASYNCAPI, type Known, type KnownKeys, OPENAPI } from "./emit/known-keys.ts";
import { FORM, TEXTS } from "./emit/openapi/parameters.ts";
import { WIDER } from "./emit/openapi/schemas.ts";
import { ANNOTATIONS, COMPLETES, KEYWORDS } from "./emit/schema.ts";

const code = (text: string) => `\`${text}\``;

const INTRODUCTION = `# What the documents may say

\`npm run generate\` understands a part of OpenAPI 3.1, AsyncAPI 3.0 and JSON Schema 2020-12. A key that is not below is refused with its file, line and column, and the word that was probably
meant: nothing is dropped in silence. Keys that begin with \`x-\` may stand everywhere outside of schemas, and change nothing.

Written by \`npm run generate\` from the tables that it checks the documents with. Do not edit.

The documents are the files directly in \`spec/\` that are named \`NAME.openapi.yaml\` or \`NAME.asyncapi.yaml\`, in small letters, digits and hyphens. They are YAML 1.2 without merge keys (\`<<\`). A
\`$ref\` leads to a place in the same file or in another file of the folder. Commands that read the documents of others, such as \`shiftpact compare\`, are not as strict.

The body of a request or a response is JSON: \`application/json\`, or a type that ends in \`+json\`. A response with 200 may be \`text/event-stream\`: its schema describes one server-sent event, with \`event\`,
\`data\` (JSON) and \`id\`. A response may also be ${TEXTS.map(code).join(" or ")}, whose schema is that of a text, and a request the form of a page, ${code(FORM)}, whose fields are texts. A form whose fields are all bounded, by \`enum\`, \`const\` or \`maxLength\`, is refused if it is more than 1,000 bytes longer than they can be.

All faults of a run are listed, those of one kind together: first the version, then keys, names, operations, schemas, and last bounds, defaults and examples. What only follows from another fault is left out.

An operation or a schema whose name is no name of the code has another there: \`pet-owner\` is \`PetOwner\`, and \`list_pets\` the method \`listPets\`. \`npm run generate\` shows them, and refuses two that would be one.
`;

/** Returns the guide of the documents' supported parts, as Markdown. */
export function supportedGuide(): string {
  return [
    INTRODUCTION,
    ...chapter("OpenAPI 3.1", OPENAPI),
    "A parameter is a text, a number, an integer or a boolean; in the query, also a list of them, whose name is repeated. An operation lists a status of success; `default` stands for the errors, 400 to 599, that are not listed.\n",
    ...chapter("AsyncAPI 3.0", ASYNCAPI),
    "## Schemas (JSON Schema 2020-12)\n",
    `Checked: ${[...KEYWORDS].map(code).join(", ")}.\n`,
    `A type is at least as wide as what its validator accepts, and wider by ${WIDER.map(code).join(", ")}, and by the fraction of an \`integer\`. Without a \`type\`, \`properties\` allow every value that is no object, and the type has them all.\n`,
    `Described, without an effect on what is valid: ${[...ANNOTATIONS].map(code).join(", ")}.\n`,
    `In a named schema only: ${code(COMPLETES)}, the name of another one: this is the form of it that should be sent, where less may be received. The documents for senders have it under that name.\n`,
    `Formats: ${Object.keys(FORMATS).map(code).join(", ")}. A pattern must be one that takes linear time. An integer is at most 2^53 - 1: readers of JSON round larger ones.\n`,
    "Not supported:\n",
    ...Object.entries(UNSUPPORTED).map(([keyword, advice]) => `- ${code(keyword)}: ${advice}`),
    "",
  ].join("\n");
}

function chapter(title: string, objects: Readonly<Record<string, KnownKeys>>): string[] {
  const known = Object.entries(objects).filter(([, keys]) => Object.keys(keys).length > 0);
  const refused = known.flatMap(([name, keys]) =>
    Object.entries(keys).flatMap(([key, each]) =>
      isRefused(each) ? [`- ${code(key)} (${wordOf(name)}): ${each.unsupported}`] : [],
    ),
  );
  return [
    `## ${title}\n`,
    "| object | keys |",
    "| --- | --- |",
    ...known.map(([name, keys]) => `| ${wordOf(name)} | ${keysOf(keys)} |`),
    "\nNot supported:\n",
    ...refused,
    "",
  ];
}

const isRefused = (known: Known): known is { unsupported: string } =>
  typeof known === "object" && "unsupported" in known;

const keysOf = (keys: KnownKeys): string =>
  Object.entries(keys)
    .flatMap(([key, known]) => (isRefused(known) ? [] : [code(key)]))
    .join(", ");

/** `requestBody` as words. */
const wordOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
