import { useState } from "preact/hooks";
import { useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { fieldFaults } from "../integrations/field-faults.ts";
import { FormField } from "../integrations/form-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import type { Entry, Given, Kind } from "./kinds.ts";

interface Props {
  kind: Kind;
  /** What is changed; without it, one is added. */
  entry?: Entry;
  onSaved(): void;
}

/** A button, and the dialog in which a workplace or a competence is added or changed. */
export function EditEntry({ kind, entry, onSaved }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const title = entry ? `Edit ${entry.name}` : `Add a ${kind.one}`;
  return (
    <>
      <button type="button" {...(!entry && { class: "primary" })} onClick={() => setIsOpen(true)}>
        {entry ? "Edit" : title} {entry && <span class="unseen">{entry.name}</span>}…
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <EntryForm
          kind={kind}
          {...(entry && { entry })}
          onSaved={() => {
            close();
            onSaved();
          }}
        />
      </Dialog>
    </>
  );
}

function EntryForm({ kind, entry, onSaved }: Props) {
  const save = useAction(async (given: Given) => {
    await (entry ? kind.change(entry.id, given) : kind.add(given));
    onSaved();
    return `${given.name} is saved.`;
  });
  const { of: faults, rest } = fieldFaults(save.trouble, ["name", "address"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save.run(givenIn(event.currentTarget as HTMLFormElement));
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off" noValidate>
      <FormField
        name="name"
        label="Name"
        required
        maxLength={100}
        defaultValue={entry?.name ?? ""}
        fault={faults.name}
        hint={`Providers' ${kind.mapped.toLowerCase()} with the same name are mapped to it automatically.`}
      />
      {kind.hasAddress && (
        <FormField
          name="address"
          label="Address"
          maxLength={200}
          defaultValue={entry?.address ?? ""}
          fault={faults.address}
          hint="Outlets with the same address are mapped to it automatically. Leave it empty if there is none."
        />
      )}
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={save} tone="primary">
          Save
        </ActionButton>
      </p>
    </form>
  );
}

function givenIn(form: HTMLFormElement): Given {
  const given = new FormData(form);
  const [name = "", address = ""] = ["name", "address"].map((field) => String(given.get(field) ?? "").trim());
  return { name, address: address || null };
}
