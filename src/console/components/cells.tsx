import type { ComponentChildren } from "preact";

export interface Column<Row> {
  /** The heading. On a phone, where a row is a card, it labels the cell. */
  name: string;
  cell(row: Row): ComponentChildren;
  /** Numbers are aligned at their last digit. */
  isNumber?: boolean;
  /** The heading is for screen readers only: the cells hold buttons. */
  isActions?: boolean;
}

export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <>
      {columns.map(({ name, cell, isNumber, isActions }) => (
        <td key={name} data-label={isActions ? "" : name} {...(isNumber && { class: "number" })}>
          <div>{cell(row)}</div>
        </td>
      ))}
    </>
  );
}

export type Tone = "good" | "busy" | "warn" | "bad" | "plain";

/** A state in a word; its colour repeats the word. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** A text with the parts between backticks as code. */
export function CodeSpans({ text }: { text: string }) {
  return (
    <>{text.split("`").map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
  );
}

/** Named values. A value that is undefined is left out with its name. */
export function Facts({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of).map(
        ([name, value]) =>
          value !== undefined && [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
      )}
    </dl>
  );
}

interface Props {
  id: string;
  /** Where the id leads, when it leads anywhere. */
  href?: string | undefined;
}

const LONGEST = 12;
const SHOWN = 8;

/** An id as its beginning; its title is the whole. */
export function ShortId({ id, href }: Props) {
  const text = id.length > LONGEST ? `${id.slice(0, SHOWN)}…` : id;
  const code = (
    <code title={id} data-whole={id}>
      {text}
    </code>
  );
  return href === undefined ? code : <a href={href}>{code}</a>;
}
