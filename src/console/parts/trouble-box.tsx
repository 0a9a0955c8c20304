import type { Trouble } from "../data/trouble.ts";

/** A failure: what happened, where, and its code. */
export function TroubleBox({ trouble, onRetry }: { trouble: Trouble; onRetry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{trouble.title}</strong>
        {trouble.code && <code>{trouble.code}</code>}
      </p>
      {trouble.detail && <p>{trouble.detail}</p>}
      {trouble.errors && (
        <ul>
          {trouble.errors.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
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
