import type { CallError } from "../data/errors.ts";
import { faultText } from "./field-faults.ts";

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
