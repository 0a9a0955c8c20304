import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface Props {
  title: string;
  /** The way back to what this page is a part of. */
  within?: { href: string; name: string };
  /** Beside the title: a badge, buttons. */
  children?: ComponentChildren;
}

export function PageHead({ title, within, children }: Props) {
  useEffect(() => {
    document.title = `${title} · shiftpact console`;
  }, [title]);
  return (
    <header class="page-head">
      {within && (
        <p class="within">
          <a href={within.href}>{within.name}</a>
        </p>
      )}
      <div class="row">
        <h1>{title}</h1>
        {children}
      </div>
    </header>
  );
}
