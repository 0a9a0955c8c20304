/** What the HTTP thread requests of the thread that owns the embedded database. Handled in the order of the requests. */
export type Call =
  /** One statement. `held`: within a transaction that the caller ends; anything else that fails is rolled back. */
  | { op: "query"; text: string; values: readonly unknown[]; held: boolean }
  /** Any number of statements. */
  | { op: "exec"; text: string; held: boolean }
  | { op: "listen"; channel: string }
  /** Ends the subscription that the call `of` began. */
  | { op: "unlisten"; of: number }
  | { op: "close" };

export type Request = Call & { id: number };

export interface Answer {
  rows: unknown[];
  affectedRows?: number | undefined;
  /** The last statement's tag; of a COMMIT in a failed transaction it is ROLLBACK. */
  command?: string | undefined;
}

/** Named as in PostgreSQL's protocol; neither the statement nor its values, which may be personal data. */
export interface PlainError {
  message: string;
  stack?: string | undefined;
  fields: Record<string, string>;
}

export type Reply =
  | { ready: true }
  | { id: number; answer: Answer }
  | { id: number; error: PlainError }
  /** To the subscription that the call `listener` began. */
  | { listener: number; payload: string }
  /** The thread ends now: the database must not be used any further. */
  | { lost: string };
