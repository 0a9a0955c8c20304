import type { Summary } from "../events.ts";
import type { Finding } from "../finding.ts";
import type { Group } from "../options.ts";
import { counted } from "./report-content.ts";
import type { Terminal } from "./terminal.ts";

/** Writes one line for each group, with the number of checks and findings. */
export interface Progress {
  begin(group: Group): void;
  checked(): void;
  found(severity: Finding["severity"]): void;
  skipGroup(group: Group): void;
  end(): void;
}

type Line = Pick<Summary, "checks" | "errors" | "warnings"> & { group: Group };

/** Moves up one line and clears it. */
const AGAIN = "\u001b[1A\u001b[2K";
const NAME_WIDTH = 16;

/** @param isInteractive writes the line of a group at its start, and again after each check */
export function createProgress(terminal: Terminal, isInteractive: boolean): Progress {
  let line: Line | undefined;
  const rewrite = () => {
    if (line && isInteractive) terminal.write(AGAIN + textOf(line, terminal, false));
  };
  const end = () => {
    if (line) terminal.write((isInteractive ? AGAIN : "") + textOf(line, terminal, true));
    line = undefined;
  };
  return {
    begin: (group) => {
      end();
      line = { group, checks: 0, errors: 0, warnings: 0 };
      if (isInteractive) terminal.write(textOf(line, terminal, false));
    },
    checked: () => {
      if (line) line.checks += 1;
      rewrite();
    },
    found: (severity) => {
      if (line && severity === "error") line.errors += 1;
      if (line && severity === "warning") line.warnings += 1;
      rewrite();
    },
    skipGroup: (group) => {
      end();
      terminal.write(terminal.paint("dim", `  - ${group.padEnd(NAME_WIDTH)}skipped`));
    },
    end,
  };
}

function textOf(line: Line, terminal: Terminal, isOver: boolean): string {
  const { group, checks, errors, warnings } = line;
  const worst = [
    ...(errors > 0 ? [terminal.paint("red", counted(errors, "error"))] : []),
    ...(warnings > 0 ? [terminal.paint("yellow", counted(warnings, "warning"))] : []),
  ];
  const made = checks === 0 && isOver ? "nothing to check" : counted(checks, "check").padEnd(13);
  return `  ${markOf(line, terminal, isOver)} ${group.padEnd(NAME_WIDTH)}${made}${worst.join(", ")}`.trimEnd();
}

function markOf({ checks, errors, warnings }: Line, { paint }: Terminal, isOver: boolean): string {
  if (errors > 0) return paint("red", "✗");
  if (warnings > 0) return paint("yellow", "!");
  if (!isOver) return paint("cyan", "·");
  return checks === 0 ? paint("dim", "-") : paint("green", "✓");
}
