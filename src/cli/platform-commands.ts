import { backup } from "./backup.ts";
import type { Io } from "./io.ts";
import { move } from "./move.ts";
import { platform } from "./platform.ts";
import { restore } from "./restore.ts";

/**
 * The commands of the package @shiftpact/platform, by name. `shiftpact NAME` finds them there, and `shiftpact-platform NAME` runs them
 * without the package `shiftpact`.
 */
export const PLATFORM_COMMANDS = { platform, backup, restore, move } satisfies Record<
  string,
  (argv: string[], io: Io) => Promise<number>
>;

export type PlatformCommand = keyof typeof PLATFORM_COMMANDS;
