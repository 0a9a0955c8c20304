import type { Engine } from "../../src/platform/db/database.ts";
import type { PostgresServer } from "../../test/harness/embedded-postgres.ts";
import type { Checked } from "./check.ts";
import type { Disk } from "./disk.ts";
import type { FaultKind } from "./faults.ts";
import type { Pair } from "./pair.ts";

export interface ChaosOptions {
  engine: Engine;
  /** The least number of SIGKILLs of the platform, and of failovers of a pair. */
  kills: number;
  seed: number;
  /** The time for faults. Milliseconds. */
  budgetMs: number;
  /** Uses the whole budget even after enough kills. */
  useWholeBudget?: boolean;
  /** The number of malformed requests, after the faults and under load. */
  malformed?: number;
  /** The database's disk, which some faults fill up. */
  disk?: Pick<Disk, "fill">;
  /** Whether the platform's clock jumps in some faults. */
  clockJumps?: boolean;
  /** An empty folder, or one that holds an embedded database in `database`. */
  dataDir: string;
  /** For engine postgres: the server and the name of its database, which two platform processes share. One of which only the URL is known is not killed. */
  postgres?: { server: PostgresServer | Pair | Pick<PostgresServer, "url">; database: string };
  /** Ends the leases of a killed process immediately, instead of after 15 s. */
  fast?: boolean;
  providers?: number;
  /** The entry module of the platform, in place of `platform-child.ts`. */
  entry?: string;
  /** `kills`: the number of SIGKILLs so far. */
  onFault?: (fault: FaultKind, kills: number) => void;
}

export interface ChaosReport extends Checked {
  faults: Map<FaultKind, number>;
  /** The times from each failure of a primary until every process was ready again. Milliseconds. */
  failovers: number[];
  /** SIGKILLs of the platform. */
  kills: number;
  /** The number of the load's actions, by name. */
  done: Map<string, number>;
  /** The number of acknowledged webhooks, repetitions included. */
  acknowledged: number;
  /** The number of mails that the mail server accepted, repetitions included. */
  mails: number;
  /** The number of mail outages, by kind. */
  mailOutages: Map<string, number>;
  /** The number of malformed requests, by response. */
  answers: Map<string, number>;
  /** The platform's memory in that time, as twenty samples. Megabytes. */
  memory: number[];
}
