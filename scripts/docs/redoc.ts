import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { bundle, type SpecDocument } from "../emit/bundle.ts";
import { documentFiles, yamlFiles } from "../emit/files.ts";
import { isRecord } from "../emit/schema.ts";

const CONFIG = fileURLToPath(new URL("redocly.yaml", import.meta.url));

/** The only file that Redoc 3 loads from another host on every page: the picture beside "API docs by". */
const LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
const LETTERS =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='48' height='14'%3E" +
  "%3Ctext y='11' font-family='sans-serif' font-size='12' fill='%23677489'%3ERedocly%3C/text%3E%3C/svg%3E";

/**
 * Returns an OpenAPI or AsyncAPI document as one page that loads nothing.
 * @param template Handlebars, with `{{{redocHead}}}` and `{{{redocHTML}}}`
 * @throws Error with the output of redocly, if it cannot read the document
 */
export async function renderDocument(document: string, template: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  try {
    const [templateFile, out] = [join(folder, "template.hbs"), join(folder, "page.html")];
    writeFileSync(templateFile, template);
    await redocly("build-docs", document, "--template", templateFile, "--output", out);
    return readFileSync(out, "utf8").replaceAll(LOGO, LETTERS);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function redocly(...command: readonly string[]): Promise<void> {
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  const child = spawn(process.execPath, [cli, ...command, "--inlineBundle", "--config", CONFIG], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once("close", resolve).once("error", reject),
  );
  const [, log, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0)
    throw new Error(`redocly could not render ${command[1]}: run npm run lint for the reason\n${log}`);
}

/** An operation of an OpenAPI document, and its place on that document's page. */
export interface Operation {
  operationId: string;
  summary: string;
  href: string;
  /** The operation as JSON, its shared responses included. */
  text: string;
}

export function operationsIn(specFolder: string): Operation[] {
  const files = yamlFiles(specFolder);
  const documents = documentFiles(specFolder).filter(({ kind }) => kind === "openapi");
  return documents.map((file) => bundle(file, files)).flatMap(operationsOf);
}

function operationsOf({ name, root }: SpecDocument): Operation[] {
  const items = Object.values(isRecord(root.paths) ? root.paths : {}).filter(isRecord);
  return items.flatMap(Object.values).flatMap((operation: unknown) => {
    if (!isRecord(operation) || typeof operation.operationId !== "string") return [];
    const { operationId, summary = "", tags } = operation;
    const [tag] = Array.isArray(tags) ? tags : [];
    const href = `${name}.html#/${anchor(String(tag))}/${anchor(operationId)}`;
    return [{ operationId, summary: String(summary), href, text: JSON.stringify(operation) }];
  });
}

/** Returns the name of a section of a Redoc page; test/package/docs.test.ts opens each in a browser. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
