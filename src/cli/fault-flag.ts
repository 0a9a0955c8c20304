import { operationsTable } from "../../generated/provider/server.ts";
import type { OperationId } from "../sandbox/faults/fault.ts";
import { faultTopics } from "../sandbox/faults/registry.ts";
import { type FaultName, faultNamed } from "../sandbox/faults/switchboard.ts";

/** `--fault NAME` or `--fault NAME:OPERATION`. */
export interface FaultFlag {
  name: FaultName;
  /** Undefined: on every operation that supports the fault. */
  operation: OperationId | undefined;
}

const WIDTH = Math.max(
  ...Object.values(faultTopics)
    .flatMap((topic) => Object.keys(topic))
    .map((name) => name.length),
);

/** Returns every fault with its summary, by topic. */
export function faultList(): string {
  const lines = Object.entries(faultTopics).flatMap(([topic, faults]) => [
    `  ${topic}:`,
    ...Object.entries(faults).map(([name, { summary }]) => `    ${name.padEnd(WIDTH)}  ${summary}`),
    "",
  ]);
  return lines.join("\n").trimEnd();
}

/** @throws Error whose message is one line for the user */
export function readFaultFlag(text: string): FaultFlag {
  const [named = "", operation] = text.split(":");
  const name = faultNamed(named, ": --help lists them all");
  if (operation === undefined || isOperation(operation)) return { name, operation };
  const operations = operationsTable.map(({ operationId }) => operationId).join(", ");
  throw new Error(`there is no operation ${JSON.stringify(operation)}; there are ${operations}`);
}

function isOperation(text: string): text is OperationId {
  return operationsTable.some(({ operationId }) => operationId === text);
}
