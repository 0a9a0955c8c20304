/** A text with the parts between backticks as code. */
export function CodeSpans({ text }: { text: string }) {
  return (
    <>{text.split("`").map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
  );
}
