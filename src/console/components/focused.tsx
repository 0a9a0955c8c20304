import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  class?: string;
  children: ComponentChildren;
}

/** Takes the focus when it appears, because it replaces the element that had it. */
export function Focused({ children, ...rest }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1} {...rest}>
      {children}
    </div>
  );
}
