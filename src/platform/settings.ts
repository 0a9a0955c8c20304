import { CHAPTERS, type Setting } from "./setting-chapters.ts";
import type { Env } from "./setting-kinds.ts";

type Chapter = (typeof CHAPTERS)[keyof typeof CHAPTERS];
type NamesIn<C> = C extends unknown ? keyof C : never;
type EntryIn<C, Name extends PropertyKey> = C extends Readonly<Record<Name, infer Entry>> ? Entry : never;

export type SettingName = NamesIn<Chapter>;

type Entry<Name extends SettingName> = EntryIn<Chapter, Name>;
type ValueOf<Name extends SettingName> =
  | ReturnType<Entry<Name>["kind"]["read"]>
  | (Entry<Name> extends { default: string } ? never : undefined);

export const SETTINGS: Readonly<Record<SettingName, Setting<unknown>>> = Object.assign(
  {},
  ...Object.values(CHAPTERS),
);

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Of all commands that open the database. */
export const DATABASE_SETTINGS = Object.keys(CHAPTERS.Database) as readonly SettingName[];

/** Returns the value of a setting, or its default if it is unset or empty. @param env checked, with secrets read from their files */
export function settingOf<Name extends SettingName>(env: Env, name: Name): ValueOf<Name> {
  const { kind, default: unset }: Setting<unknown> = SETTINGS[name];
  const text = env[name] || unset;
  return (text === undefined ? undefined : kind.read(text)) as ValueOf<Name>;
}
