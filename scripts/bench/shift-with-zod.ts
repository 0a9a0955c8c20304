import { z } from "zod";
import type { Shift, ShiftWarning } from "../../src/contract/shift.ts";

const text = z.string().min(1).max(200);
const positions = z.int().min(0).max(100).nullish();
const optionalText = z.string().nullish();

const shared = {
  id: text,
  startTime: z.iso.datetime({ offset: true }),
  endTime: z.iso.datetime({ offset: true }),
  outletId: text,
  outletName: optionalText,
  roleId: text,
  roleName: optionalText,
  slots: positions,
  assignedCandidates: z.array(
    z
      .object({ candidateId: text.optional(), id: text.optional(), personalNumber: optionalText })
      .refine(({ candidateId, id }) => candidateId !== undefined || id !== undefined),
  ),
};

const onlyInB = {
  breakMinutes: z.number().nullish(),
  numberOfPositions: positions,
  status: optionalText,
  description: optionalText,
  createdAt: optionalText,
  updatedAt: optionalText,
};

const namesOfB = Object.keys(onlyInB);

/** What one would write by hand with zod for both variants of the shift (contract 2.2): validate, then the same model as `readShift`. */
export const shiftWithZod = z
  .object({ ...shared, ...onlyInB })
  .refine(({ startTime, endTime }) => Date.parse(startTime) < Date.parse(endTime))
  .transform((body): Shift => {
    const given = [body.slots, body.numberOfPositions].filter((count) => typeof count === "number");
    const [least = 1] = given.toSorted((left, right) => left - right);
    const differ: ShiftWarning[] = given.some((count) => count !== least) ? ["positions_differ"] : [];
    return {
      id: body.id,
      variant: namesOfB.some((name) => name in body) ? "b" : "a",
      startTime: new Date(body.startTime).toISOString(),
      endTime: new Date(body.endTime).toISOString(),
      outletId: body.outletId,
      outletName: body.outletName ?? undefined,
      roleId: body.roleId,
      roleName: body.roleName ?? undefined,
      positions: least,
      assigned: body.assignedCandidates.map(({ candidateId, id, personalNumber }) => ({
        providerCandidateId: candidateId ?? id ?? "",
        personalNumber: personalNumber ?? undefined,
      })),
      cancelled: body.status === "cancelled",
      warnings: given.length === 0 ? ["positions_missing"] : differ,
    };
  });
