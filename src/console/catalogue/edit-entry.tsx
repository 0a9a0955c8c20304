import { DialogButton } from "../components/dialog.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { useAction } from "../data/use-action.ts";
import type { Entry, EntryInput, Kind } from "./kinds.ts";

interface Props {
  kind: Kind;
  /** The entry to change; without it, one is added. */
  entry?: Entry;
  onSaved(): void;
}

/** A button, and the dialog in which a workplace or a competence is added or changed. */
export function EditEntry({ entry, onSaved, ...props }: Props) {
  const title = entry ? `Edit ${entry.name}` : `Add a ${props.kind.one}`;
  const button = entry
    ? { label: "Edit …", of: entry.name }
    : { label: `${title} …`, tone: "primary" as const };
  return (
    <DialogButton {...button} title={title} onDone={onSaved}>
      {(done) => <EntryForm {...props} {...(entry && { entry })} onSaved={done} />}
    </DialogButton>
  );
}

function EntryForm({ kind, entry, onSaved }: Props) {
  const save = useAction(async (input: EntryInput) => {
    await (entry ? kind.change(entry.id, input) : kind.add(input));
    onSaved();
    return `${input.name} is saved.`;
  });
  const inputIn = (given: FormData) => ({
    name: textIn(given, "name"),
    address: textIn(given, "address") || null,
  });
  return (
    <Form
      action={save}
      fields={["name", "address"]}
      submit="Save"
      onSubmit={(given) => void save.run(inputIn(given))}
    >
      <FormField
        name="name"
        label="Name"
        required
        maxLength={100}
        defaultValue={entry?.name ?? ""}
        hint={`Providers' ${kind.mapped.toLowerCase()} with the same name are mapped to it automatically.`}
      />
      {kind.hasAddress && (
        <FormField
          name="address"
          label="Address"
          maxLength={200}
          defaultValue={entry?.address ?? ""}
          hint="Outlets with the same address are mapped to it automatically. Leave it empty if there is none."
        />
      )}
    </Form>
  );
}
