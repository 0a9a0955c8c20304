import type { Operation } from "./paths.ts";
import { docComment } from "./types.ts";

/** A typed client on openapi-fetch: one method for each operation. */
export function emitClient(operations: readonly Operation[]): string {
  const methods = operations.map((operation) => {
    const { operationId, method, path } = operation;
    const location = `${JSON.stringify(path)}, "${method}"`;
    const call = `http.${method.toUpperCase()}(${JSON.stringify(path)}, ...init)`;
    return `${docComment(operationTitle(operation))}${operationId}: (...init: Init<paths, ${location}>) => ${call},\n`;
  });
  return `import createHttp, { type ClientOptions } from "openapi-fetch";
import type { Init } from "../runtime/client.ts";
import type { paths } from "./types.ts";

export type { ClientOptions };
export type Client = ReturnType<typeof createClient>;

/** Every call resolves to \`{ data, response }\` or \`{ error, response }\`; it rejects only when no answer came. */
export function createClient(options?: ClientOptions) {
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
