import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

// The types of inputs are told apart one by one.
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
  /** As the body of the call has it. */
  name: string;
  label: string;
  /** Text unless given. */
  kind?: keyof typeof KINDS;
  /** What is wrong with what was given. */
  fault?: string | undefined;
  hint: ComponentChildren;
}

/** A field with its hint, and with its fault right there. */
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
