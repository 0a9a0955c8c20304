import {
  CHAPTERS,
  notesOf,
  SETTING_NAMES,
  SETTING_RULES,
  SETTINGS,
  type SettingName,
} from "../src/platform/settings.ts";

const INTRODUCTION = `# Settings

The platform and its commands \`migrate\`, \`backup\`, \`restore\`, \`after-restore\` and \`operators\` read their settings from environment variables.

Written by \`npm run generate\` from src/platform/settings.ts. Do not edit.

## What is required

One process on the embedded database needs no setting. Several processes on one PostgreSQL need three: \`DATABASE_URL\`, \`OPERATIONS_TOKEN\` and \`SECRET_KEY\`.
\`openssl rand -base64 24\` makes a token, \`openssl rand -base64 32\` a key. All settings that depend on others:

{RULES}

## Secrets in files

Each of {SECRETS} may be given as a file instead: \`SECRET_KEY_FILE=/run/secrets/key\` names a file that holds the value of \`SECRET_KEY\`.
The last line break of the file is not part of the value. A secret that is given in both ways, and a file that is empty or cannot be read, are refused.

No command takes the password of a database as an argument, which other users of the machine can read: it ends with exit code 2.

## Flags

The flags \`--host\` and \`--port\` take precedence over the host and the port in \`PORT\`, \`--data\` over \`SHIFTPACT_DATA\`.

## Refusals

A command that cannot use a setting ends with exit code 2 and one line for each fault, before it opens the database. It names the setting and the remedy, and never shows
the value. It refuses a value that is not permitted, and a name that differs by one or two letters from a setting with eight letters or more: \`DATABSE_URL\` would otherwise start the
platform on an empty database. An empty value counts as unset; {EMPTY} must not be empty, because a template that was not
filled in would select another database, another folder, or no mail.

## Changing a setting

A process reads its settings when it starts: restart it after a change, or [restart several one after the other](operator.md#deploy-it).

Give processes that share a database the same settings, apart from their addresses and ports. To change \`SECRET_KEY\`, follow [secrets and keys](operator.md#secrets-and-keys).
`;

/** Returns the text of spec/guides/settings.md. */
export function settingsGuide(): string {
  const introduction = INTRODUCTION.replace("{RULES}", rules())
    .replace(
      "{SECRETS}",
      named(({ isSecret }) => isSecret),
    )
    .replace(
      "{EMPTY}",
      named(({ whenEmpty }) => whenEmpty),
    );
  return [introduction, ...Object.entries(CHAPTERS).map(chapter)].join("\n");
}

const rules = (): string => SETTING_RULES.map(({ setting, note }) => `- \`${setting}\`: ${note}.`).join("\n");

function named(has: (setting: (typeof SETTINGS)[SettingName]) => unknown): string {
  const names = SETTING_NAMES.filter((name) => has(SETTINGS[name])).map((name) => `\`${name}\``);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function chapter([title, settings]: [string, object]): string {
  const rows = Object.keys(settings).map((name) => rowOf(name as SettingName));
  return `## ${title}\n\n| setting | values | default | effect |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}

function rowOf(name: SettingName): string {
  const { kind, default: value, unset, help } = SETTINGS[name];
  const otherwise = [
    value === undefined ? `unset${unset ? `: ${unset}` : ""}` : `\`${value}\``,
    ...notesOf(name),
  ];
  return `| \`${name}\` | ${kind.form} | ${otherwise.join("; ")} | ${help} |\n`;
}
