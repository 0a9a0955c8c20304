import { isRecord } from "./schema.ts";

/** Returns the steps of a JSON pointer (RFC 6901), "/a/b". */
export function pointerSteps(pointer: string): string[] {
  return pointer.split("/").slice(1).map(decodeStep);
}

/** Returns the target of a pointer; undefined if there is none. */
export function valueAt(root: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((node, step) => member(node, step), root);
}

function decodeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function member(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return node[Number(step)];
  return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined;
}
