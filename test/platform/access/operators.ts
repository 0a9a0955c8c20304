import { randomUUID } from "node:crypto";
import type { OperatorCreated, Role } from "../../../generated/operations/types.ts";
import type { TenantHarness } from "../../harness/tenants.ts";

/** An operator with a name of its own. */
export async function addOperator({ operate }: TenantHarness, role: Role): Promise<OperatorCreated> {
  const { status, body, text } = await operate("POST", "/operators", {
    name: `${role} ${randomUUID()}`,
    role,
  });
  if (status !== 201) throw new Error(text);
  return body as OperatorCreated;
}
