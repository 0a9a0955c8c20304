import type { SpecDocument } from "../bundle.ts";
import { at, SpecFault } from "../fault.ts";
import { isRecord, recordOf } from "../schema.ts";

/**
 * Returns the URL of the first server (OpenAPI 3.1, section 4.8.5) with the defaults of its variables, the base URL of a client that is given
 * none; "" without servers. A path alone is resolved by a browser, against the origin of the page.
 */
export function serverUrl({ root, file }: SpecDocument): string {
  const [server] = Array.isArray(root.servers) ? root.servers : [];
  if (!isRecord(server)) return "";
  const place = at({ document: file, pointer: "" }, "servers", 0);
  const url = String(server.url).replaceAll(/\{([^}]*)\}/g, (_all, name: string) => {
    const { default: value } = recordOf(recordOf(server.variables)[name]);
    if (value !== undefined) return String(value);
    throw new SpecFault(at(place, "url"), `the variable {${name}} has no default`, "add it to 'variables'");
  });
  if (/^\/(?!\/)/.test(url) || /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
  throw new SpecFault(
    at(place, "url"),
    `the server "${url}" depends on where the document is`,
    "write a URL with http or https, or a path that begins with /",
  );
}
