import { isRecord, mapRecord } from "../schema.ts";

/** Names of members and of query parameters; a header has another form. */
const IDENTIFIER = /^[a-z][A-Za-z]*Id$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is set once for the whole collection; the first value that is given for a name stays. */
export class Variables {
  readonly #values = new Map<string, { value: string; description?: string }>();

  /** The text that stands for the value of the variable. */
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

  /** A copy of a body in which each identifier is a variable of the member's name. */
  within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.within(item));
    if (!isRecord(value)) return value;
    return mapRecord(value, (item, key) => this.within(this.identified(key, item)));
  }

  /** The variable for an identifier; any other value as it is. */
  identified(name: string, value: unknown): unknown {
    const isIdentifier = typeof value === "string" && IDENTIFIER.test(name) && UUID.test(value);
    return isIdentifier ? this.use(name, value) : value;
  }

  printed(): object[] {
    return [...this.#values].map(([key, rest]) => ({ key, ...rest }));
  }
}
