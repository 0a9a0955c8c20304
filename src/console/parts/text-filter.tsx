import { useEffect, useState } from "preact/hooks";

interface Props {
  name: string;
  value: string;
  /** Ids are shown in fixed width. */
  isId?: boolean;
  onGiven(value: string): void;
}

/** A filter that applies on blur or Enter, because half an id finds nothing. */
export function TextFilter({ name, value, isId = false, onGiven }: Props) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return (
    <label class="field">
      <span>{name}</span>
      <input
        {...(isId && { class: "id-filter" })}
        value={draft}
        spellcheck={false}
        autocomplete="off"
        maxLength={100}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => onGiven(event.currentTarget.value.trim())}
      />
    </label>
  );
}
