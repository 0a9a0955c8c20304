import type { Client } from "../../../generated/provider/client.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import { isOutlet, isRole } from "../../../generated/provider/validators.js";
import { isStorable } from "../../contract/storable-text.ts";
import type { Validator } from "../../runtime/validator.ts";
import { answerOf, type Failure, faultText, type ReadEntry, readList, refused } from "./answer.ts";
import { type Call, init } from "./parts.ts";

export interface ReadList<T> {
  kind: "list";
  items: T[];
  /** The invalid entries, which are left out: their place from 1, and their contract violation. */
  faults: { entry: number; reason: string }[];
}

/** Lists the outlets and roles of the organisation (contract 4.2). */
export function organisationCalls(client: Client) {
  const listOutlets = async (call: Call): Promise<ReadList<Outlet> | Failure> =>
    list("list of outlets", client.listOutlets(init(call)), isOutlet);

  const listRoles = async (call: Call): Promise<ReadList<Role> | Failure> =>
    list("list of roles", client.listRoles(init(call)), isRole);

  return { listOutlets, listRoles };
}

async function list<T extends Outlet | Role>(
  what: string,
  exchange: Parameters<typeof answerOf>[0],
  validator: Validator<T>,
): Promise<ReadList<T> | Failure> {
  const answer = await answerOf(exchange);
  if (answer.kind !== "answer") return answer;
  if (!answer.ok) return refused(answer);
  const read = readList(what, answer, validator);
  if ("kind" in read) return read;
  const entries = read.entries.map(storable);
  const faults = entries.flatMap(({ fault }, index) =>
    fault === undefined ? [] : [{ entry: index + 1, reason: faultText(fault) }],
  );
  return { kind: "list", items: entries.flatMap(({ entry }) => entry ?? []), faults };
}

/** Truncates names to their limit and replaces lone surrogates; an id must fit as it is. The schema states neither. */
function storable<T extends Outlet | Role>(read: ReadEntry<T>): ReadEntry<T> {
  if (!read.entry) return read;
  const { id, name } = read.entry;
  const texts = { name, address: "address" in read.entry ? read.entry.address : undefined };
  const [odd] = isStorable(id)
    ? Object.entries(texts).flatMap(([member, text]) => (text?.includes("\0") ? [member] : []))
    : ["id"];
  return odd === undefined ? read : { fault: { pointer: `/${odd}`, message: "cannot be stored" } };
}
