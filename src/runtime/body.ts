import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isTooDeep, TOO_DEEP } from "./json.ts";
import { ProblemError } from "./problem.ts";

/** Present in an Express request when another middleware has already read the body. */
type MaybeParsed = IncomingMessage & { body?: unknown };

export interface BodyRule {
  readonly contentType: string;
  /** In bytes. */
  readonly limit: number;
}

const FORM = "application/x-www-form-urlencoded";

/** Of a form. Each costs more than its letters. */
const MOST_FIELDS = 1_000;

/**
 * Returns the JSON value in the body of a request, or the fields of a form as texts; undefined without a body. A body that another middleware has
 * parsed is accepted as it is: its bytes are gone.
 * @throws ProblemError 415 for another media type, charset or content encoding, 413 above the limit, 400 for
 * text that is not JSON, or is nested too deeply
 */
export async function readContent(request: MaybeParsed, rule: BodyRule): Promise<unknown> {
  if (request.body !== undefined) return request.body;
  if (!hasBody(request)) return undefined;
  checkMediaType(request, rule.contentType);
  if (Number(request.headers["content-length"] ?? 0) > rule.limit) throw tooLong(rule.limit);
  const bytes = await readBytes(request, rule.limit);
  if (bytes.length === 0) return undefined;
  return rule.contentType === FORM ? fieldsOf(bytes) : parseJson(bytes);
}

/** A field that is given twice is a list, which no schema of a text allows. */
function fieldsOf(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString("utf8");
  if (text.split("&", MOST_FIELDS + 1).length > MOST_FIELDS)
    throw tooLarge(`The form has more than ${MOST_FIELDS} fields.`);
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const given = fields.get(name);
    if (Array.isArray(given)) given.push(value);
    else fields.set(name, given === undefined ? value : [given, value]);
  }
  return Object.fromEntries(fields);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function checkMediaType({ headers }: IncomingMessage, contentType: string): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw unsupported("Send the body unencoded.");
  const given = headers["content-type"];
  if (given === contentType) return;
  const [type = "", ...parameters] = (given ?? "").toLowerCase().split(";");
  if (type.trim() !== contentType) throw unsupported(`Send the body as ${contentType}.`);
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=");
    if (name.trim() === "charset" && !/^"?utf-?8"?$/.test(value.trim()))
      throw unsupported("Send the body in UTF-8.");
  }
}

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      // The rest is read and dropped, so that the client receives the response.
      request.off("data", onData);
      request.resume();
      reject(tooLong(limit));
    };
    request.on("data", onData);
    request.once("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.once("error", () => reject(new ProblemError(400, "request_aborted")));
    request.once("close", () => {
      // Runs after a complete request, too; and an error costs its stack.
      if (!request.complete) reject(new ProblemError(400, "request_aborted"));
    });
  });
}

/** Hides the parser's own message, which quotes the text: the text may hold personal data. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  if (isTooDeep(text)) {
    const errors = [{ pointer: "", message: TOO_DEEP }];
    throw new ProblemError(400, "validation_failed", { detail: "The request is not valid.", errors });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

function malformed(detail: string): ProblemError {
  return new ProblemError(400, "malformed_json", { detail });
}

function unsupported(detail: string): ProblemError {
  return new ProblemError(415, "unsupported_media_type", { detail });
}

const tooLong = (limit: number) => tooLarge(`The body is larger than ${limit} bytes.`);

function tooLarge(detail: string): ProblemError {
  return new ProblemError(413, "payload_too_large", { detail });
}
