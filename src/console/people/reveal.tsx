import { useEffect, useRef, useState } from "preact/hooks";
import type { RevealedCandidate } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { fieldFaults } from "../integrations/field-faults.ts";
import { FormField } from "../integrations/form-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

/** Shows what is masked, as long as the dialog is open. */
export function Reveal({ candidateId }: { candidateId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="push" onClick={() => setIsOpen(true)}>
        Reveal …
      </button>
      <Dialog title="Reveal personal data" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Exchange candidateId={candidateId} />
      </Dialog>
    </>
  );
}

function Exchange({ candidateId }: { candidateId: string }) {
  const [revealed, setRevealed] = useState<RevealedCandidate>();
  const reveal = useAction(async (reason: string) => {
    setRevealed(await ask(api.revealCandidate({ params: { path: { candidateId } }, body: { reason } })));
  });
  return revealed ? <PersonalData {...revealed} /> : <Order reveal={reveal} />;
}

function Order({ reveal }: { reveal: Action<[string]> }) {
  const { of: faults, rest } = fieldFaults(reveal.trouble, ["reason"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const reason = new FormData(event.currentTarget as HTMLFormElement).get("reason");
    void reveal.run(String(reason).trim());
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off" noValidate>
      <FormField
        name="reason"
        label="Reason"
        required
        fault={faults.reason}
        hint="The reveal is recorded in the audit log with your name and this reason."
      />
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={reveal} tone="primary">
          Reveal
        </ActionButton>
      </p>
    </form>
  );
}

function PersonalData({ personalNumber, firstName, lastName, email, phone }: RevealedCandidate) {
  const box = useRef<HTMLDivElement>(null);
  // The form that had the focus is closed.
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1}>
      <dl class="facts">
        <dt>Personal number</dt>
        <dd>{personalNumber}</dd>
        <dt>Name</dt>
        <dd>
          {firstName} {lastName}
        </dd>
        <dt>E-mail</dt>
        <dd>{email}</dd>
        <dt>Phone</dt>
        <dd>{phone}</dd>
      </dl>
    </div>
  );
}
