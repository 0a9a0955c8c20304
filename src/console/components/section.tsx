import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallError } from "../data/errors.ts";
import { may } from "../session/me.ts";
import { faultText } from "./field-faults.ts";

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

interface PageHeadProps {
  title: string;
  /** The way back to what this page is a part of. */
  within?: { href: string; name: string };
  /** Beside the title: a badge, buttons. */
  children?: ComponentChildren;
}

export function PageHead({ title, within, children }: PageHeadProps) {
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

/** What to do on a platform without an organisation. */
export function RegisterFirst() {
  if (!may("createIntegration")) return <>An admin registers the first one</>;
  return <a href="/console/integrations/new">Register the first one</a>;
}

/** A failure: what happened, and where. */
export function ErrorBox({ error, onRetry }: { error: CallError; onRetry?: () => void }) {
  return (
    <div class="error" role="alert">
      <p>
        <strong>{error.title}</strong>
      </p>
      {error.detail && <p>{error.detail}</p>}
      {error.errors && (
        <ul>
          {error.errors.map(({ pointer, message }) => (
            <li key={pointer}>{faultText(pointer, message)}</li>
          ))}
        </ul>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
