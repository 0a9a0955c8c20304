import type { SpecDocument } from "../bundle.ts";
import { EVENT_STREAM, TEXTS } from "./parameters.ts";
import type { Operation } from "./paths.ts";
import { tokenPlaces } from "./security.ts";
import { serverUrl } from "./servers.ts";
import { docComment } from "./types.ts";

/** Returns a typed client on openapi-fetch: one method for each operation. */
export function emitClient(
  document: SpecDocument,
  operations: readonly Operation[],
  runtime: string,
): string {
  const types = operations.map((operation) => {
    const { operationId, method, path } = operation;
    const type = `Call<paths, ${JSON.stringify(path)}, "${method}">`;
    return `${docComment(operationText(operation))}${operationId}: ${type};\n`;
  });
  const methods = operations.map(methodOf).join("");
  const used = ["readAsText", "sentAs", "withStatus"].filter((name) => methods.includes(`${name}(`));
  const reader = methods.includes("withEvents(")
    ? `import { withEvents } from "${runtime}/read-events.ts";\n`
    : "";
  const schemes = tokenPlaces(document);
  const needed = operations.flatMap(({ method, path, alternatives }) =>
    alternatives.length === 0 ? [] : [[`${method.toUpperCase()} ${path}`, alternatives]],
  );
  const names = Object.keys(schemes).map((name) => JSON.stringify(name));
  const scoped = operations.flatMap((one) => (one.scopes.length > 0 ? [[one.operationId, one.scopes]] : []));
  return `import { type Call, type Interceptors, openHttp, ${["type Options", ...used].join(", ")} } from "${runtime}/client.ts";
${reader}import type { paths } from "./types.ts";

export { type Middleware, ParameterError, type Token } from "${runtime}/client.ts";
export type ClientOptions = Options<${names.join(" | ") || "never"}>;

/** Every call resolves to \`{ status, data }\` or \`{ status, error }\`, with the \`response\`; it rejects only without a response, and with a \`ParameterError\` before it sends a value that would arrive as another one. */
export interface Client extends Interceptors {
${types.join("")}
}

${scoped.length > 0 ? `/** The scopes or roles that each operation needs. */\nexport const scopes = ${JSON.stringify(Object.fromEntries(scoped))} as const;\n\n` : ""}const DOCUMENT = ${JSON.stringify({ server: serverUrl(document), paths: [...new Set(operations.map(({ path }) => path))], security: { schemes, operations: Object.fromEntries(needed) } })} as const;

export function createClient(options: ClientOptions = {}): Client {
  const http = openHttp<paths>(options, DOCUMENT);
  return {
    use: http.use,
    eject: http.eject,
${methods}
  };
}
`;
}

function methodOf({ operationId, method, path, body, responses }: Operation): string {
  const answers = (type: string) => responses.some(({ contentType }) => contentType === type);
  const call = (init: string) => `http.${method.toUpperCase()}(${JSON.stringify(path)}, ${init})`;
  if (answers(EVENT_STREAM))
    return `${operationId}: (...[init]) => withEvents(${call('{ ...init, parseAs: "stream" }')}),\n`;
  const isJson = body === undefined || body.contentType === "application/json";
  const init = isJson ? "init" : `sentAs("${body.contentType}", init)`;
  const asked = TEXTS.some(answers) ? `readAsText(${init})` : init;
  return `${operationId}: (...init) => withStatus(${call(`...${asked}`)}),\n`;
}

/** Returns the comment of an operation: its title and the first paragraph of its description. */
export function operationText({ summary, description, method, path, isDeprecated }: Operation): string {
  const title = `${summary.trim()}: \`${method.toUpperCase()} ${path}\`.`;
  const [first = ""] = description.trim().split(/\n\s*\n/);
  const parts = [title, first.replaceAll(/(?=\S)(.{1,110})(?: +|$)/gm, "$1\n").trim()];
  return parts
    .concat(isDeprecated ? "@deprecated" : [])
    .filter(Boolean)
    .join("\n\n");
}
