import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "./dialog.tsx";
import { TroubleBox } from "./trouble-box.tsx";

interface Props {
  /** Of the button that opens the dialog. */
  label: string;
  /** The object, where several buttons have the same label. */
  of?: string;
  title: string;
  /** Of the button that confirms. */
  confirm: string;
  /** Returns the announcement of its success. */
  act(): Promise<string>;
  /** The id of the element that gets the focus afterwards: the button may be gone by then. */
  focusAfter: string;
  /** The effect. */
  children: ComponentChildren;
}

/** A button for what cannot be undone: it names the effect and asks first. */
export function ConfirmedAction({ label, of, title, confirm, act, focusAfter, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const isDone = useRef(false);
  const action = useAction(async () => {
    const announcement = await act();
    isDone.current = true;
    setIsOpen(false);
    return announcement;
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
