import type { Allowed } from "./allowed.ts";
import type { Network } from "./network.ts";
import type { ProviderRecords } from "./provider.ts";
import type { Store } from "./store.ts";

/** What invariants are checked against, and where a violation is recorded. */
export interface Checked {
  store: Store;
  records: ProviderRecords;
  now: () => number;
  log: (line: () => string) => void;
  network: () => Network | undefined;
  /** How old what the platform acts on may be: as far as a replica has lagged until now. Milliseconds. */
  staleMs: () => number;
  fail: (violation: string) => void;
  /** Records a violation unless the allowance applies. */
  failUnless: (allowance: Allowed, applies: boolean, violation: string) => void;
}
