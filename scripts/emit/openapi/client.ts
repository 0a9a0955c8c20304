import type { Operation } from "./paths.ts";
import { docComment } from "./types.ts";

/** Returns a typed client on openapi-fetch: one method for each operation. */
export function emitClient(operations: readonly Operation[], runtime: string): string {
  const types = operations.map((operation) => {
    const { operationId, method, path } = operation;
    const type = `Call<paths, ${JSON.stringify(path)}, "${method}">`;
    return `${docComment(operationTitle(operation))}${operationId}: ${type};\n`;
  });
  const isOther = ({ body }: Operation) => body !== undefined && body.contentType !== "application/json";
  const methods = operations.map((operation) => {
    const { operationId, method, path, body } = operation;
    const init = isOther(operation) ? `sentAs("${body?.contentType}", init)` : "init";
    return `${operationId}: (...init) => withStatus(http.${method.toUpperCase()}(${JSON.stringify(path)}, ...${init})),\n`;
  });
  return `import createHttp, { type ClientOptions } from "openapi-fetch";
import { type Call, ${operations.some(isOther) ? "sentAs, " : ""}withStatus } from "${runtime}/client.ts";
import type { paths } from "./types.ts";

export type { ClientOptions };

/** Every call resolves to \`{ status, data }\` or \`{ status, error }\`, with the \`response\`; it rejects only without a response. */
export interface Client {
${types.join("")}
}

export function createClient(options?: ClientOptions): Client {
  const http = createHttp<paths>(options);
  return {
${methods.join("")}
  };
}
`;
}

export function operationTitle({ summary, method, path, isDeprecated }: Operation): string {
  const title = `${summary.trim()}: \`${method.toUpperCase()} ${path}\`.`;
  return isDeprecated ? `${title}\n@deprecated` : title;
}
