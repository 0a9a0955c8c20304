import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface Props {
  /** Of the list of sections: an address within the page. */
  id: string;
  title: string;
  /** Beside the title. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the page with a title. When a button goes away with what it did, the focus goes to the title. */
export function Section({ id, title, aside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const keepFocus = ({ target }: FocusEvent) =>
    setTimeout(() => {
      const isGone = target instanceof Node && !target.isConnected;
      if (isGone && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    });
  return (
    <section class="panel stack" id={id} aria-labelledby={`${id}-title`} onFocusOut={keepFocus}>
      <div class="row">
        <h2 id={`${id}-title`} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
