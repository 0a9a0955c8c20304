import { createHash } from "node:crypto";

/** For a page that is not rendered by Redoc: no script, and styles only from docs.css. The search has a script in a file. */
const OWN: readonly string[] = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Returns Content-Security-Policy headers by file, and `*` for every other file. A page with scripts may run exactly the scripts in it, and
 * Redoc's search, which is a worker made of a blob.
 */
export function policiesOf(pages: ReadonlyMap<string, string>): Record<string, string> {
  const policies: Record<string, string> = { "*": OWN.join("; ") };
  for (const [file, html] of pages) {
    const [first, ...more] = scriptsOf(html);
    if (first === undefined) continue;
    const isFile = first === "" && more.length === 0;
    policies[file] = isFile
      ? ["default-src 'none'", "script-src 'self'", ...OWN.slice(1)].join("; ")
      : withScripts([first, ...more].map(hash));
  }
  return policies;
}

function withScripts(hashes: readonly string[]): string {
  const [first = "", , ...rest] = OWN;
  const styles = "style-src 'self' 'unsafe-inline'";
  return [
    first,
    `script-src ${[...new Set(hashes)].join(" ")}`,
    styles,
    "font-src data:",
    "worker-src blob:",
    ...rest,
  ].join("; ");
}

/** Finds scripts as a browser does: a script ends at the first `</script`, regardless of the text before it. */
function scriptsOf(html: string): string[] {
  return [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script/g)].map(([, script = ""]) => script);
}

function hash(script: string): string {
  return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
}
