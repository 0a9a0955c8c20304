import type { ComponentChildren } from "preact";
import type { Action } from "../data/use-action.ts";

interface Props {
  action: Pick<Action<[]>, "isRunning">;
  /** Without it the button submits its form. */
  onClick?: () => void;
  tone?: "primary" | "danger";
  /** Goes to the end of its row. */
  isPushed?: boolean;
  children: ComponentChildren;
}

/** It says that it is at work and keeps the focus, which a disabled button loses; `useAction` does one thing at a time. */
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
