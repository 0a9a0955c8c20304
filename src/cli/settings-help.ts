import { CHAPTERS, notesOf, SETTINGS, type SettingName } from "../platform/settings.ts";

const WIDTH = 110;
const INDENT = " ".repeat(29);

/** Returns the settings that `shiftpact platform` reads, as lines for a terminal. */
export function settingsHelp(): string {
  return Object.entries(CHAPTERS)
    .map(([title, settings]) => [`${title}:`, ...Object.keys(settings).map(entryOf)].join("\n"))
    .join("\n\n");
}

function entryOf(name: string): string {
  const { help, kind, isSecret, default: value, unset } = SETTINGS[name as SettingName];
  const facts = [
    kind.form,
    ...(value === undefined ? [] : [`default ${value}`]),
    ...(unset === undefined ? [] : [`if unset: ${unset}`]),
    ...notesOf(name as SettingName),
    ...(isSecret ? [`or ${name}_FILE`] : []),
  ];
  const lines = [...wrapped(help), ...wrapped(`(${facts.join("; ")})`)].map((line) => INDENT + line);
  return `  ${name}`.padEnd(INDENT.length) + lines.join("\n").trimStart();
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll("`", "").split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= WIDTH - INDENT.length) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
