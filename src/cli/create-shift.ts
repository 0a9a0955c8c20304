import { exec } from "node:child_process";
import { promisify } from "node:util";
import { CouldNotRun } from "../verify/connection-errors.ts";

const TIMEOUT_MS = 30_000;
const SHOWN = 200;

/**
 * Requests a new shift in the future: `POST` to a URL, or a shell command. The response is the shift's id alone, or JSON with a
 * member `shiftId`.
 * @throws CouldNotRun when the response holds no id
 */
export async function createShift(source: string): Promise<string> {
  const text = /^https?:\/\//.test(source) ? await post(source) : await execute(source);
  const id = idIn(text.trim());
  if (id !== undefined) return id;
  throw new CouldNotRun(
    `--create-shift: the response must be the id of a shift, or JSON like {"shiftId": "..."}; it was ${JSON.stringify(text.slice(0, SHOWN))}`,
  );
}

async function post(url: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method: "POST", signal }).catch(() => undefined);
  if (response?.ok) return response.text();
  const came = response ? `status ${response.status}` : "no answer";
  throw new CouldNotRun(`--create-shift: ${came} from ${url}`);
}

async function execute(command: string): Promise<string> {
  try {
    const { stdout } = await promisify(exec)(command, { timeout: TIMEOUT_MS });
    return stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: number; stderr?: string };
    const why = stderr.trim().split("\n").at(-1)?.slice(0, SHOWN) ?? "";
    throw new CouldNotRun(`--create-shift: the command ended with ${code ?? "a signal"}: ${why}`);
  }
}

function idIn(text: string): string | undefined {
  const id = text.startsWith("{") ? parsedId(text) : text;
  return typeof id === "string" && id !== "" && !/[\r\n]/.test(id) ? id : undefined;
}

function parsedId(text: string): unknown {
  try {
    return (JSON.parse(text) as { shiftId?: unknown }).shiftId;
  } catch {
    return undefined;
  }
}
