import type {
  CandidateIdentity,
  CompleteOutlet,
  HireDetails,
  Role,
  WorkedShift,
} from "../../generated/provider/types.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";

/** A stored shift, independent of the variant of responses. */
export interface StoredShift {
  id: string;
  /** ISO 8601, as received. */
  startTime: string;
  /** ISO 8601, as received. */
  endTime: string;
  outletId: string;
  roleId: string;
  /** The total, not the remainder. */
  positions: number;
  /** Time of assignment (ISO 8601) by candidate id. */
  assigned: Map<string, string>;
  cancelled: boolean;
  breakMinutes: number;
  description: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A stored candidate. Only candidates that the platform hired have the details of a hire. */
export interface StoredCandidate extends CandidateIdentity, Partial<HireDetails> {
  id: string;
  personalNumber: PersonalNumber;
  employeeNumber?: string;
  workHistory?: WorkedShift[];
  /** The ids of the records that were merged into this one. Calls about them are about this one. */
  formerIds?: readonly string[];
}

/** Returns the candidate with an id, which may be a former one. */
export const candidateOf = ({ candidates }: Organisation, id: string): StoredCandidate | undefined =>
  candidates.get(id) ?? [...candidates.values()].find(({ formerIds = [] }) => formerIds.includes(id));

/** One organisation that uses the provider system. A token belongs to one organisation (contract 5). */
export interface Organisation {
  /** UUID, lower case. */
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  outlets: CompleteOutlet[];
  roles: Role[];
  shifts: Map<string, StoredShift>;
  candidates: Map<string, StoredCandidate>;
}

/** By lower-case providerId. */
export type Organisations = Map<string, Organisation>;
