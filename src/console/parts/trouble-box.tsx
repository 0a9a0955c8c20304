import type { Trouble } from "../data/trouble.ts";

/** What went wrong, where, and the code to look up. */
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
