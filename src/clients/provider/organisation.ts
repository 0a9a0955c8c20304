import type { Client } from "../../../generated/provider/client.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import { responses } from "../../../generated/provider/validators.js";
import type { Validator } from "../../../generated/runtime/validator.ts";
import { answerOf, type Failure, read, refused } from "./answer.ts";
import { type Call, init } from "./parts.ts";

/** Lists the outlets and roles of the organisation (contract 4.2). */
export function organisationCalls(client: Client) {
  const listOutlets = (call: Call): Promise<{ kind: "list"; items: Outlet[] } | Failure> =>
    list("list of outlets", client.listOutlets(init(call)), responses.listOutlets[200]);

  const listRoles = (call: Call): Promise<{ kind: "list"; items: Role[] } | Failure> =>
    list("list of roles", client.listRoles(init(call)), responses.listRoles[200]);

  return { listOutlets, listRoles };
}

async function list<T>(
  what: string,
  exchange: Parameters<typeof answerOf>[0],
  validator: Validator<T[]>,
): Promise<{ kind: "list"; items: T[] } | Failure> {
  const answer = await answerOf(exchange);
  if (answer.kind !== "answer") return answer;
  if (!answer.ok) return refused(answer);
  const body = read(what, answer, validator);
  return "kind" in body ? body : { kind: "list", items: body.value };
}
