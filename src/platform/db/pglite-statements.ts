import { messages, type PGlite, protocol, types } from "@electric-sql/pglite";
import { MOST_PREPARED } from "./engine.ts";
import type { Answer } from "./pglite-messages.ts";

interface Statement {
  name: string;
  /** Of its parameters, and of its columns. */
  types: readonly number[];
  fields: readonly { name: string; dataTypeID: number }[];
}

/**
 * Statements that the embedded database parses and plans once. PGlite's own `query` makes six calls each time; this makes one: bind,
 * execute, sync.
 */
export class Statements {
  readonly #pglite: PGlite;
  readonly #known = new Map<string, Statement>();

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async run(text: string, values: readonly unknown[]): Promise<Answer> {
    const known = this.#known.get(text);
    if (!known && this.#known.size >= MOST_PREPARED) return this.#pglite.query(text, [...values]);
    const statement = known ?? (await this.#prepare(text));
    const replies = await this.#ask(
      protocol.serialize.bind({
        statement: statement.name,
        values: values.map((value, index) => this.#written(value, statement.types[index])),
      }),
      protocol.serialize.execute(),
    );
    return this.#toAnswer(statement, replies);
  }

  async #prepare(text: string): Promise<Statement> {
    const name = `s${this.#known.size}`;
    const replies = await this.#ask(
      protocol.serialize.parse({ name, text }),
      protocol.serialize.describe({ type: "S", name }),
    );
    const parameters = replies.find((reply) => reply instanceof messages.ParameterDescriptionMessage);
    const columns = replies.find((reply) => reply instanceof messages.RowDescriptionMessage);
    const statement = { name, types: parameters?.dataTypeIDs ?? [], fields: columns?.fields ?? [] };
    this.#known.set(text, statement);
    return statement;
  }

  /** The folder syncs when PostgreSQL does: there is nothing to sync after it. */
  #ask(...asked: Uint8Array[]): Promise<messages.BackendMessage[]> {
    const message = Buffer.concat([...asked, protocol.serialize.sync()]);
    return this.#pglite.execProtocolStream(message, { syncToFs: false });
  }

  #written(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null;
    const serialize = this.#pglite.serializers[type];
    return serialize ? serialize(value) : String(value);
  }

  #toAnswer({ fields }: Statement, replies: readonly messages.BackendMessage[]): Answer {
    const rows: unknown[] = [];
    let command: string | undefined;
    let affectedRows = 0;
    for (const reply of replies) {
      if (reply instanceof messages.DataRowMessage) rows.push(this.#rowOf(fields, reply));
      if (reply instanceof messages.CommandCompleteMessage) {
        const parts = reply.text.split(" ");
        command = parts[0];
        if (command !== "SELECT") affectedRows = Number(parts.at(-1)) || 0;
      }
    }
    return { rows, affectedRows, command };
  }

  #rowOf(fields: Statement["fields"], { fields: texts }: messages.DataRowMessage): unknown {
    const row: Record<string, unknown> = {};
    for (const [index, { name, dataTypeID }] of fields.entries()) {
      row[name] = types.parseType(texts[index] ?? null, dataTypeID, this.#pglite.parsers);
    }
    return row;
  }
}
