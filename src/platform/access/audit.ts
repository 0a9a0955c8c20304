import type { FieldChange, FieldValue } from "../../../generated/operations/types.ts";
import { type AuditScope, afterCommit } from "../transaction.ts";
import type { Identity } from "./identity.ts";

interface Parts {
  identity: Identity;
  operation: string;
  subjects: Record<string, string>;
  /** The fields of the request. */
  fields: readonly string[];
  now: () => Date;
  newId: () => string;
}

/** An entry that every transaction of the operation is offered. */
export interface OpenEntry extends AuditScope {
  readonly isWritten: boolean;
}

/** Fields of the request are named without values, unless the feature notes them: only it knows which are personal. */
export function openEntry({ identity, operation, fields, now, newId, ...given }: Parts): OpenEntry {
  let { subjects } = given;
  let changes = new Map<string, FieldChange>(fields.map((field) => [field, { field }]));
  let isWritten = false;
  let isDue = true;
  return {
    by: identity.name,
    get isWritten() {
      return isWritten;
    },
    note: (about) => {
      subjects = { ...subjects, ...about.subjects };
      // The second entry of an operation has only what was noted since the first.
      if (!isDue) changes = new Map();
      for (const change of about.changes ?? []) changes.set(change.field, change);
      isDue = true;
    },
    write: async (trx) => {
      if (!isDue) return;
      const row = {
        audit_id: newId(),
        at: now(),
        operator_id: identity.operatorId,
        operator_name: identity.name,
        address: identity.address,
        operation,
        subjects: JSON.stringify(subjects),
        changes: JSON.stringify([...changes.values()]),
      };
      await trx.insertInto("audit").values(row).execute();
      afterCommit(trx, () => {
        isWritten = true;
        isDue = false;
      });
    },
  };
}

/** The fields whose values differ, with both values. None of them may be personal or secret. */
export function changesOf(
  before: Readonly<Record<string, FieldValue>>,
  after: Readonly<Record<string, FieldValue>>,
): FieldChange[] {
  return Object.entries(after)
    .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
    .map(([field, value]) => ({
      field,
      ...(before[field] !== undefined && { before: before[field] }),
      after: value,
    }));
}
