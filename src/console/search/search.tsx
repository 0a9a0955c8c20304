import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Dialog } from "../components/dialog.tsx";
import { QueryView } from "../components/query-view.tsx";
import { useNames } from "../data/names.ts";
import { usePaused } from "../data/use-paused.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { FEWEST, type Found, find } from "./find.ts";
import "./search.css";

/** The button in the frame of every page; Ctrl-K, or Command-K, opens it too. */
export function Search() {
  const [isOpen, setIsOpen] = useState(false);
  const { url } = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  // A result was followed.
  useEffect(() => setIsOpen(false), [url]);
  return (
    <>
      <button type="button" class="quiet" aria-keyshortcuts="Control+K" onClick={() => setIsOpen(true)}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <Dialog title="Search" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <SearchForm onFollowed={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function SearchForm({ onFollowed }: { onFollowed(): void }) {
  const names = useNames();
  const { route } = useLocation();
  const [text, setText] = useState("");
  const wanted = usePaused(text.trim());
  const hits = useQuery(`search ${wanted}`, () => find(wanted, names));
  const followFirst = (event: SubmitEvent) => {
    event.preventDefault();
    // While the results are those of an earlier text, the first of them is not what was asked for.
    const first = wanted === text.trim() && hits.data?.hits[0];
    if (!first) return;
    onFollowed();
    route(first.href);
  };
  return (
    <form class="stack search" onSubmit={followFirst} onKeyDown={moveFocus}>
      <label class="field">
        <span>Name, place and day, shift id, trace id, or person id</span>
        <input
          value={text}
          maxLength={100}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {wanted.length >= FEWEST && <Hits hits={hits} onFollowed={onFollowed} />}
    </form>
  );
}

function Hits({ hits, onFollowed }: { hits: Query<Found>; onFollowed(): void }) {
  return (
    <QueryView query={hits} lines={3}>
      {({ hits: found, hasMore }) => (
        <>
          <p class="soft" role="status">
            {found.length === 0 && "Nothing found. Ids have to be complete."}
            {found.length > 0 &&
              (hasMore ? `The first ${found.length}; there are more.` : `${found.length} found`)}
          </p>
          <ul>
            {found.map(({ kind, name, detail, href }) => (
              <li key={`${kind} ${href}`}>
                <a class="hit" href={href} onClick={onFollowed}>
                  <span class="soft">{kind}</span>
                  <strong>{name}</strong>
                  {detail && <span class="soft">{detail}</span>}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryView>
  );
}

/** The arrow keys move between the field and the results. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const places = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("input, a")];
  const at = places.indexOf(document.activeElement as HTMLElement);
  places[Math.min(Math.max(at + step, 0), places.length - 1)]?.focus();
}
