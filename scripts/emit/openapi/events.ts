import { flatten } from "../documents/flatten.ts";
import { SpecFault } from "../fault.ts";
import type { NamedSchemas, Schema } from "../schema.ts";
import type { DeclaredResponse } from "./responses.ts";

const MEMBERS = ["event", "data", "id"];

/** Refuses the schema of an event with members that are not sent: `data` is the JSON of an event, `event` its name. */
export function refuseUnsentMembers({ place, schema = true }: DeclaredResponse, schemas: NamedSchemas): void {
  const other = membersOf(schema, schemas).find((name) => !MEMBERS.includes(name));
  if (other === undefined) return;
  throw new SpecFault(place, `a server-sent event has no member "${other}"`, "put it into 'data'");
}

function membersOf(schema: Schema, schemas: NamedSchemas): string[] {
  if (typeof schema === "boolean") return [];
  const { properties = {}, oneOf = [], anyOf = [] } = flatten(schema, schemas, "whole");
  const branches = [...oneOf, ...anyOf].flatMap((branch) => membersOf(branch, schemas));
  return [...Object.keys(properties), ...branches];
}
