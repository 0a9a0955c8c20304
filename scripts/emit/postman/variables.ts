import { isRecord, mapRecord } from "../schema.ts";

/** Names of members and of query parameters; a header has another form. */
const IDENTIFIER = /^[a-z][A-Za-z]*Id$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Variables of the whole collection; the first value of a name is kept. */
export class Variables {
  readonly #values = new Map<string, { value: string; description?: string }>();

  /** Returns the placeholder of the variable. */
  use(name: string, value: unknown, description?: unknown): string {
    const known = this.#values.get(name);
    if (known === undefined || (known.value === "" && value !== undefined)) {
      const text = typeof description === "string" ? description : known?.description;
      this.#values.set(name, {
        value: String(value ?? ""),
        ...(text !== undefined && { description: text }),
      });
    }
    return `{{${name}}}`;
  }

  /** Returns a copy of a body in which each identifier is a variable of the member's name. */
  within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.within(item));
    if (!isRecord(value)) return value;
    return mapRecord(value, (item, key) => this.within(this.identified(key, item)));
  }

  /** Returns the variable for an identifier; any other value unchanged. */
  identified(name: string, value: unknown): unknown {
    const isIdentifier = typeof value === "string" && IDENTIFIER.test(name) && UUID.test(value);
    return isIdentifier ? this.use(name, value) : value;
  }

  printed(): object[] {
    return [...this.#values].map(([key, rest]) => ({ key, ...rest }));
  }
}
