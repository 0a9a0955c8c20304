import { supportedNode } from "../verify/package-files.ts";
import { type Io, ioOf } from "./io.ts";

/** Runs `command` as this process, with its arguments and its exit code; 2 on an unsupported Node version. */
export async function runCommand(
  name: string,
  command: (argv: string[], io: Io) => Promise<number>,
): Promise<void> {
  const io = ioOf(process);
  const fault = faultOfNode(process.versions.node, supportedNode());
  if (fault !== undefined) io.stderr(`${name}: ${fault}`);
  process.exitCode = fault === undefined ? await command(process.argv.slice(2), io) : 2;
}

/** @param least such as `22.12` */
function faultOfNode(version: string, least: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node ${version} is not supported: install Node ${least} or newer`;
}
