import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

interface Props {
  /** Of the button that opens the dialog. */
  label: string;
  /** What it is about, where several buttons have the same label. */
  of?: string;
  title: string;
  /** Of the button that does it. */
  confirm: string;
  /** Answers what to tell when it went well. */
  act(): Promise<string>;
  /** The id of what has the focus afterwards: the button itself may be gone by then. */
  focusAfter: string;
  /** What will happen. */
  children: ComponentChildren;
}

/** A button for what cannot be taken back: it asks first, and names the effect. */
export function ConfirmedAction({ label, of, title, confirm, act, focusAfter, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const isDone = useRef(false);
  const action = useAction(async () => {
    const told = await act();
    isDone.current = true;
    setIsOpen(false);
    return told;
  });
  const closed = () => {
    setIsOpen(false);
    if (isDone.current) document.getElementById(focusAfter)?.focus();
    isDone.current = false;
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsOpen(true)}>
        {label}
        {of && <span class="unseen"> {of}</span>}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={closed}>
        {children}
        {action.trouble && <TroubleBox trouble={action.trouble} />}
        <div class="row">
          <button
            type="button"
            class="danger"
            aria-disabled={action.isRunning}
            onClick={() => void action.run()}
          >
            {confirm}
          </button>
        </div>
      </Dialog>
    </>
  );
}
