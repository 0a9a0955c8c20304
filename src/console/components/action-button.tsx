import type { ComponentChildren } from "preact";
import type { Action } from "../data/use-action.ts";

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
