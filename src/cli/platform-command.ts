#!/usr/bin/env node
import { processIo } from "./io.ts";
import { PLATFORM_COMMANDS, type PlatformCommand } from "./platform-commands.ts";

const [name = "", ...rest] = process.argv.slice(2);
const isCommand = (text: string): text is PlatformCommand => Object.hasOwn(PLATFORM_COMMANDS, text);

// The command of the package @shiftpact/platform: without a name, the platform itself.
process.exitCode = await (isCommand(name)
  ? PLATFORM_COMMANDS[name](rest, processIo())
  : PLATFORM_COMMANDS.platform(process.argv.slice(2), processIo()));
