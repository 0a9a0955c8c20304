import { readFileSync } from "node:fs";
import { parse } from "yaml";

export interface Step {
  id?: string;
  if?: string;
  uses?: string;
  with?: Record<string, unknown>;
  shell?: string;
  env?: Record<string, string>;
  run?: string;
}

/** The GitHub Action of the repository. */
export interface Action {
  name: string;
  description: string;
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

export const actionText = readFileSync(new URL("../../action.yml", import.meta.url), "utf8");

/** @throws YAMLParseError */
export const readAction = (): Action => parse(actionText);

/** The environment of a step with the inputs filled in, as a runner does it. */
export function environmentOf({ env = {} }: Step, { inputs }: Action, given: Record<string, string>) {
  const filled = Object.entries(env).map(([name, text]) => [
    name,
    text.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, input: string) => given[input] ?? inputs[input]?.default ?? "",
    ),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}
