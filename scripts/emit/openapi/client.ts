import type { SpecDocument } from "../bundle.ts";
import { EVENT_STREAM, HTML } from "./content.ts";
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
  const isOther = ({ body }: Operation) => body !== undefined && body.contentType !== "application/json";
  const methods = operations.map((operation) => {
    const { operationId, method, path, body } = operation;
    const isPage = operation.responses.some(({ contentType }) => contentType === HTML);
    const call = (init: string) => `http.${method.toUpperCase()}(${JSON.stringify(path)}, ${init})`;
    if (isStream(operation))
      return `${operationId}: (...[init]) => withEvents(${call('{ ...init, parseAs: "stream" }')}),\n`;
    const init = isOther(operation) ? `sentAs("${body?.contentType}", init)` : "init";
    if (isPage) return `${operationId}: (...init) => withStatus(${call(`...readAsText(${init})`)}),\n`;
    return `${operationId}: (...init) => withStatus(${call(`...${init}`)}),\n`;
  });
  const reader = operations.some(isStream) ? `import { withEvents } from "${runtime}/read-events.ts";\n` : "";
  const schemes = tokenPlaces(document);
  const needed = operations.flatMap(({ method, path, alternatives }) =>
    alternatives.length === 0 ? [] : [[`${method.toUpperCase()} ${path}`, alternatives]],
  );
  const security = { schemes, operations: Object.fromEntries(needed) };
  const names = Object.keys(schemes).map((name) => JSON.stringify(name));
  const hasPages = operations.some(({ responses }) =>
    responses.some(({ contentType }) => contentType === HTML),
  );
  const used = [
    ...(hasPages ? ["readAsText"] : []),
    ...(operations.some(isOther) ? ["sentAs"] : []),
    "withStatus",
  ];
  return `import { type Call, type Interceptors, openHttp, type Options, ${used.join(", ")} } from "${runtime}/client.ts";
${reader}import type { paths } from "./types.ts";

export type { Middleware, Token } from "${runtime}/client.ts";
export type ClientOptions = Options<${names.join(" | ") || "never"}>;

/** Every call resolves to \`{ status, data }\` or \`{ status, error }\`, with the \`response\`; it rejects only without a response. */
export interface Client extends Interceptors {
${types.join("")}
}

const DOCUMENT = ${JSON.stringify({ server: serverUrl(document), security })} as const;

export function createClient(options: ClientOptions = {}): Client {
  const http = openHttp<paths>(options, DOCUMENT);
  return {
    use: http.use,
    eject: http.eject,
${methods.join("")}
  };
}
`;
}

const isStream = ({ responses }: Operation): boolean =>
  responses.some(({ contentType }) => contentType === EVENT_STREAM);

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
