/** A parameter whose value is read when its statement is sent, not when it begins to wait for a connection. The driver of PostgreSQL calls it, too. */
export interface Late {
  toPostgres(): unknown;
}

export const late = (read: () => unknown): Late => ({ toPostgres: read });

export const isLate = (value: unknown): value is Late =>
  typeof value === "object" && value !== null && "toPostgres" in value;
