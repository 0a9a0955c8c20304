import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type News, onNews } from "./live.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

export interface Query<T> {
  /** What was read last; it stays while it is read anew. */
  data?: T;
  /** Of the last try. */
  trouble?: Trouble;
  isLoading: boolean;
  reload(): void;
}

/** Many messages come at once: they become one call. Milliseconds. */
const GATHER_MS = 150;
/** After a call that failed. Milliseconds. */
const TRY_AGAIN_MS = 5_000;

/**
 * Reads, and reads again when the stream tells of something that concerns it.
 * @param key of what is read: when it changes, what was read before is forgotten.
 * @param concerns which messages mean that it may have changed; a gap always does.
 */
export function useQuery<T>(
  key: string,
  read: () => Promise<T>,
  concerns: (news: News) => boolean = () => false,
): Query<T> {
  const [state, setState] = useState<{ key: string; data?: T; trouble?: Trouble; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const latest = useRef({ read, concerns });
  latest.current = { read, concerns };
  const reading = useRef({ isUnderWay: false, again: false });
  const reload = useCallback(async () => {
    const mine = reading.current;
    // One at a time: what came meanwhile is read after it, however much comes.
    mine.again = mine.isUnderWay;
    if (mine.isUnderWay) return;
    mine.isUnderWay = true;
    do {
      mine.again = false;
      setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
      const outcome = await latest.current.read().then(
        (data) => ({ key, data, isLoading: false }),
        (error) => ({ key, trouble: troubleOf(error), isLoading: false }),
      );
      // The page asks for something else by now, or is gone.
      if (reading.current !== mine) return;
      setState((before) =>
        "trouble" in outcome && before.key === key ? { ...before, ...outcome } : outcome,
      );
    } while (mine.again);
    mine.isUnderWay = false;
  }, [key]);
  useEffect(() => {
    void reload();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onNews((news) => {
      if (news.type !== "gap" && !latest.current.concerns(news)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void reload();
      }, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
      reading.current = { isUnderWay: false, again: false };
    };
  }, [reload]);
  useEffect(() => {
    if (!state.trouble || state.isLoading || state.trouble.status !== undefined) return;
    const timer = setTimeout(() => void reload(), TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state, reload]);
  const shown = state.key === key ? state : { isLoading: true };
  return { ...shown, reload: () => void reload() };
}
