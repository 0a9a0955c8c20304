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
