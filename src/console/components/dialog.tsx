import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Action, useAction } from "../data/use-action.ts";
import { ErrorBox } from "./section.tsx";

interface DialogProps {
  title: string;
  isOpen: boolean;
  /** It was closed with its button or the Escape key. */
  onClose(): void;
  children: ComponentChildren;
}

const FIRST_FIELD = "form :is(input:not([type=radio], [type=checkbox]), select)";

/** A modal window. The browser keeps the focus in it and returns it afterwards. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    if (isOpen && !dialog.current?.open) {
      dialog.current?.showModal();
      // The browser chooses the button that closes it, which a space in a text would press.
      dialog.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    if (!isOpen && dialog.current?.open) dialog.current.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      {isOpen && (
        <div class="stack">
          <div class="row">
            <h2 id={heading}>{title}</h2>
            <button type="button" class="quiet push" onClick={onClose}>
              Close
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}

interface ButtonProps {
  /** Of the button that opens the dialog. */
  label: string;
  /** The object, where several buttons have the same label. */
  of?: string;
  title: string;
  tone?: "primary" | "danger" | "push";
}

interface DialogButtonProps extends ButtonProps {
  /** Called after the action of the dialog. */
  onDone?(): void;
  /** The content, which exists only while the dialog is open. It calls `done` after its action. */
  children(done: () => void): ComponentChildren;
}

/** A button that opens a dialog. The dialog closes after its action. */
export function DialogButton({ children, onDone, ...button }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const done = () => {
    close();
    onDone?.();
  };
  return (
    <>
      <OpenButton {...button} onClick={() => setIsOpen(true)} />
      <Dialog title={button.title} isOpen={isOpen} onClose={close}>
        {isOpen && children(done)}
      </Dialog>
    </>
  );
}

function OpenButton({ label, of, tone, onClick }: Omit<ButtonProps, "title"> & { onClick(): void }) {
  return (
    <button type="button" {...(tone && { class: tone })} onClick={onClick}>
      {label}
      {of && <span class="visually-hidden"> {of}</span>}
    </button>
  );
}

interface ConfirmedActionProps extends Omit<ButtonProps, "tone"> {
  /** Of the button that confirms. */
  confirm: string;
  /** Returns the announcement of its success. */
  act(): Promise<string>;
  /** The id of the element that gets the focus afterwards: the button may be gone by then. */
  focusAfter: string;
  /** A text that has to be typed first, for what deletes everything of an object: its name. */
  typed?: string;
  /** The effect. */
  children: ComponentChildren;
}

/** A button for what cannot be undone: it names the effect and asks first. */
export function ConfirmedAction({
  confirm,
  act,
  focusAfter,
  typed,
  children,
  ...button
}: ConfirmedActionProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isDone = useRef(false);
  const action = useAction(async () => {
    const announcement = await act();
    isDone.current = true;
    setIsOpen(false);
    return announcement;
  });
  const close = () => {
    setIsOpen(false);
    if (isDone.current) document.getElementById(focusAfter)?.focus();
    isDone.current = false;
  };
  return (
    <>
      <OpenButton {...button} tone="danger" onClick={() => setIsOpen(true)} />
      <Dialog title={button.title} isOpen={isOpen} onClose={close}>
        {children}
        <ConfirmForm {...{ action, confirm, typed }} />
      </Dialog>
    </>
  );
}

interface ConfirmFormProps {
  action: Action<[]>;
  confirm: string;
  typed: string | undefined;
}

/** Runs the action once the text, if one is asked for, is typed exactly. */
function ConfirmForm({ action, confirm, typed }: ConfirmFormProps) {
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const fault = useId();
  const isTyped = typed === undefined || text.trim() === typed.trim();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setIsWrong(!isTyped);
    if (isTyped) void action.run();
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off">
      {typed !== undefined && (
        <label class="field">
          <span>
            Type <strong>{typed}</strong> to confirm
          </span>
          <input
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
            {...(isWrong && !isTyped && { "aria-invalid": "true", "aria-describedby": fault })}
          />
        </label>
      )}
      {isWrong && !isTyped && (
        <p class="field-fault" id={fault} role="alert">
          The name does not match. Nothing is deleted.
        </p>
      )}
      {action.error && <ErrorBox error={action.error} />}
      <p>
        <ActionButton action={action} tone="danger">
          {confirm}
        </ActionButton>
      </p>
    </form>
  );
}

interface Props {
  action: Pick<Action<[]>, "isRunning">;
  /** Without a handler the button submits its form. */
  onClick?: () => void;
  tone?: "primary" | "danger" | undefined;
  /** Placed at the end of its row. */
  isPushed?: boolean;
  children: ComponentChildren;
}

/** Keeps the focus while its action runs, which a disabled button would lose. `useAction` prevents a second run. */
export function ActionButton({ action: { isRunning }, onClick, tone, isPushed = false, children }: Props) {
  const classes = [tone, isPushed && "push"].filter(Boolean).join(" ");
  return (
    <button
      type={onClick ? "button" : "submit"}
      aria-disabled={isRunning}
      {...(classes !== "" && { class: classes })}
      {...(onClick && { onClick })}
    >
      {children}
    </button>
  );
}

interface FocusedProps {
  class?: string;
  children: ComponentChildren;
}

/** Takes the focus when it appears, because it replaces the element that had it. */
export function Focused({ children, ...rest }: FocusedProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1} {...rest}>
      {children}
    </div>
  );
}
