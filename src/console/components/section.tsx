import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  /** The fragment of its address, for the list of sections and for links from other pages. */
  id: string;
  title: string;
  /** Beside the title. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the page with a title. When a focused button disappears, the title gets the focus. */
export function Section({ id, title, aside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The browser looks for the fragment before the data of the page is there.
  useEffect(() => {
    if (location.hash === `#${id}`) heading.current?.scrollIntoView();
  }, [id]);
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
