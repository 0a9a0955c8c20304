import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useId, useRef } from "preact/hooks";
import type { Language } from "../../../generated/operations/types.ts";
import type { Action } from "../data/use-action.ts";
import { ActionButton } from "./dialog.tsx";
import { type FieldFaults, fieldFaults } from "./field-faults.ts";
import { ErrorBox } from "./section.tsx";

interface FormProps {
  action: Pick<Action<never>, "isRunning" | "error">;
  /** The members of the request body that have a field in the form. */
  fields: readonly string[];
  /** The text of the button, and of the button while the action runs. */
  submit: string;
  submitting?: string;
  tone?: "primary" | "danger" | undefined;
  /** The browser checks the fields first. Otherwise the platform does, and its faults appear at the fields. */
  isCheckedByBrowser?: boolean;
  name?: string;
  onSubmit(given: FormData, form: HTMLFormElement): void;
  /** Beside the button. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** The faults of the fields of a form, by name. */
const Faults = createContext<FieldFaults["of"]>({});

/** A form whose faults appear at their fields. The first field with a fault gets the focus. */
export function Form({ action, fields, name = "", onSubmit, children, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { of: faults, rest: error } = fieldFaults(action.error, fields);
  useEffect(() => {
    if (action.error) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [action.error]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (form.current) onSubmit(new FormData(form.current), form.current);
  };
  const { submit: label, submitting = label, tone = "primary", aside, isCheckedByBrowser = false } = rest;
  return (
    <form
      class={`stack ${name}`}
      ref={form}
      onSubmit={submit}
      autocomplete="off"
      noValidate={!isCheckedByBrowser}
    >
      <Faults.Provider value={faults}>{children}</Faults.Provider>
      {error && <ErrorBox error={error} />}
      <p class="row">
        <ActionButton action={action} tone={tone}>
          {action.isRunning ? submitting : label}
        </ActionButton>
        {aside}
      </p>
    </form>
  );
}

/** The text of a field, without spaces around it. */
export const textIn = (given: FormData, name: string): string => String(given.get(name) ?? "").trim();

// JSX requires a literal type for each input.
const KINDS = {
  text: { type: "text" },
  secret: { type: "password" },
  address: { type: "url" },
  number: { type: "number" },
  time: { type: "datetime-local" },
} as const;

type Limits = Pick<
  JSX.IntrinsicElements["input"],
  "required" | "maxLength" | "min" | "max" | "step" | "placeholder" | "defaultValue"
>;

interface FieldProps extends Limits {
  /** The member of the request body. */
  name: string;
  label: string;
  /** Text unless given. */
  kind?: keyof typeof KINDS;
  hint: ComponentChildren;
}

/** A field of a form with its hint and its fault. */
export function FormField({ name, label, kind = "text", hint, ...input }: FieldProps) {
  const id = useId();
  const { [name]: fault } = useContext(Faults);
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

interface ChoiceProps<Value extends string> {
  name: string;
  legend: string;
  choices: readonly (readonly [Value, ComponentChildren])[];
  chosen: Value;
}

/** A choice of one of several values. */
export function RadioField<Value extends string>({ name, legend, choices, chosen }: ChoiceProps<Value>) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {choices.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} value={value} defaultChecked={value === chosen} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

export const LANGUAGES: Record<Language, string> = { sv: "Swedish", en: "English" };

/** The language of mails and pages. Once chosen it can be changed, and not unset. `otherwise`: what holds while none is chosen. */
export function LanguageField({ chosen, otherwise }: { chosen: Language | undefined; otherwise: string }) {
  const named = Object.entries(LANGUAGES) as [Language, string][];
  const choices = chosen === undefined ? [["", otherwise] as const, ...named] : named;
  return (
    <RadioField
      name="language"
      legend="Language of mails and pages"
      choices={choices}
      chosen={chosen ?? ""}
    />
  );
}

export const languageIn = (given: FormData): Language | undefined =>
  (Object.keys(LANGUAGES) as Language[]).find((language) => given.get("language") === language);
