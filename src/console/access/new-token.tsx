import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { SecretOnce } from "../integrations/secret-once.tsx";

/** The token of an operator, shown once, in place of the form that had the focus. */
export function NewToken({ token, children }: { token: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div class="stack" ref={box} tabIndex={-1}>
      <SecretOnce name="Token" secret={token} />
      <p>{children}</p>
    </div>
  );
}
