import { useRef, useState } from "preact/hooks";

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
          Copy<span class="unseen"> {name}</span>
        </button>
      </p>
      <p role="status">{copied && COPIED[copied]}</p>
    </div>
  );
}
