import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

// JSX requires a literal type for each input.
const KINDS = {
  text: { type: "text" },
  secret: { type: "password" },
  address: { type: "url" },
  number: { type: "number" },
} as const;

type Limits = Pick<
  JSX.IntrinsicElements["input"],
  "required" | "maxLength" | "min" | "max" | "step" | "placeholder" | "defaultValue"
>;

interface Props extends Limits {
  /** The member of the request body. */
  name: string;
  label: string;
  /** Text unless given. */
  kind?: keyof typeof KINDS;
  /** The fault of the input. */
  fault?: string | undefined;
  hint: ComponentChildren;
}

/** A field with its hint and its fault. */
export function FormField({ name, label, kind = "text", fault, hint, ...input }: Props) {
  const id = useId();
  const [hintId, faultId] = [`${id}-hint`, `${id}-fault`];
  return (
    <div class="field form-field">
      <label for={id}>{label}</label>
      <input
        {...input}
        {...KINDS[kind]}
        {...{ id, name }}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={fault ? `${faultId} ${hintId}` : hintId}
        {...(fault && { "aria-invalid": "true" })}
      />
      {fault && (
        <p class="field-fault" id={faultId}>
          {label} {fault}.
        </p>
      )}
      <p class="hint" id={hintId}>
        {hint}
      </p>
    </div>
  );
}
