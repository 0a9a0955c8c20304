import { afterRestore } from "./after-restore.ts";
import { backup } from "./backup.ts";
import { distribute } from "./distribute.ts";
import type { Io } from "./io.ts";
import { migrate } from "./migrate.ts";
import { operators } from "./operators.ts";
import { platform } from "./platform.ts";
import { restore } from "./restore.ts";

/**
 * The commands of the package @shiftpact/platform, by name. `shiftpact NAME` finds them there, and `shiftpact-platform NAME` runs them
 * without the package `shiftpact`.
 */
export const PLATFORM_COMMANDS = {
  platform,
  migrate,
  distribute,
  backup,
  restore,
  "after-restore": afterRestore,
  operators,
} satisfies Record<string, (argv: string[], io: Io) => Promise<number>>;

export type PlatformCommand = keyof typeof PLATFORM_COMMANDS;
