#!/usr/bin/env node
import { PLATFORM_COMMANDS, type PlatformCommand } from "./platform-commands.ts";
import { runCommand } from "./run-command.ts";

const isCommand = (text = ""): text is PlatformCommand => Object.hasOwn(PLATFORM_COMMANDS, text);

// The command of the package @shiftpact/platform: without a name, it runs the platform itself.
await runCommand("shiftpact-platform", ([name, ...rest], io) => {
  if (isCommand(name)) return PLATFORM_COMMANDS[name](rest, io);
  return PLATFORM_COMMANDS.platform(name === undefined ? [] : [name, ...rest], io);
});
