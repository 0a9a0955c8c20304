import type {
  CandidateIdentity,
  CompleteOutlet,
  HireDetails,
  Role,
  WorkedShift,
} from "../../generated/provider/types.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";

/** A shift as the provider keeps it, whatever variant it is told in. */
export interface StoredShift {
  id: string;
  /** ISO 8601, as it was given. */
  startTime: string;
  /** ISO 8601, as it was given. */
  endTime: string;
  outletId: string;
  roleId: string;
  /** The total, not what remains. */
  positions: number;
  /** When each candidate was assigned (ISO 8601), by candidate id. */
  assigned: Map<string, string>;
  cancelled: boolean;
  breakMinutes: number;
  description: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A person as the provider knows them; the details of a hire only when they were hired through the platform. */
export interface StoredCandidate extends CandidateIdentity, Partial<HireDetails> {
  id: string;
  personalNumber: PersonalNumber;
  employeeNumber?: string;
  workHistory?: WorkedShift[];
}

/** One organisation that uses the provider system; a token speaks for one of them only (contract 5). */
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
