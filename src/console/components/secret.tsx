import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAction } from "../data/use-action.ts";
import { Focused } from "./dialog.tsx";
import { Form, FormField } from "./form.tsx";
import { Time } from "./time.tsx";

const COPIED = {
  yes: "Copied.",
  no: "The browser denies access to the clipboard. The token is selected: copy it by hand.",
};

/** A token that is shown once, as long as this element exists. */
export function SecretOnce({ name, secret }: { name: string; secret: string }) {
  const text = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState<"yes" | "no">();
  const copy = async () => {
    try {
      // Browsers refuse it on plain http, except on localhost.
      await navigator.clipboard.writeText(secret);
      setCopied("yes");
    } catch {
      if (text.current) getSelection()?.selectAllChildren(text.current);
      setCopied("no");
    }
  };
  return (
    <div class="secret">
      <p class="row">
        <strong>{name}</strong>
        <span class="soft">shown only once</span>
      </p>
      <p class="row">
        <code ref={text}>{secret}</code>
        <button type="button" onClick={copy}>
          Copy<span class="visually-hidden"> {name}</span>
        </button>
      </p>
      <p role="status">{copied && COPIED[copied]}</p>
    </div>
  );
}

/** A token shown once, in place of the form that had the focus. */
export function NewToken({ name, token, children }: NewTokenProps) {
  return (
    <Focused class="stack">
      <SecretOnce name={name} secret={token} />
      <p>{children}</p>
    </Focused>
  );
}

interface NewTokenProps {
  name: string;
  token: string;
  children: ComponentChildren;
}

interface Rotated {
  token: string;
  /** Of the token before. */
  previousValidUntil: string;
}

interface RotationProps {
  /** Of the token. */
  name: string;
  rotate(overlapHours: number, given: FormData): Promise<Rotated>;
  /** What happens to the current token. */
  effect: string;
  /** What to do with the new one. */
  handOver?: string;
  /** More fields. */
  children?: ComponentChildren;
}

/** The form that replaces a token, and the new token. The current token stays valid for an overlap. */
export function TokenRotation({ name, rotate, effect, handOver = "", children }: RotationProps) {
  const [rotated, setRotated] = useState<Rotated>();
  const action = useAction(async (given: FormData) =>
    setRotated(await rotate(Number(given.get("overlapHours")), given)),
  );
  if (rotated) {
    return (
      <NewToken name={name} token={rotated.token}>
        {handOver} <PreviousToken validUntil={rotated.previousValidUntil} />
      </NewToken>
    );
  }
  return (
    <Form
      action={action}
      fields={["overlapHours"]}
      submit="Create the token"
      tone="danger"
      isCheckedByBrowser
      onSubmit={(given) => void action.run(given)}
    >
      <p>{effect} A token that was replaced earlier stops working now.</p>
      <FormField
        name="overlapHours"
        label="Overlap in hours"
        kind="number"
        min={0}
        max={720}
        step={1}
        required
        defaultValue="24"
        hint="0 to 720. With 0 the current token stops working immediately: use this after a leak."
      />
      {children}
    </Form>
  );
}

function PreviousToken({ validUntil }: { validUntil: string }) {
  if (Date.parse(validUntil) <= Date.now()) return <>The previous token is no longer valid.</>;
  return (
    <>
      The previous token is valid until <Time at={validUntil} />.
    </>
  );
}
