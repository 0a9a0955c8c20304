import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type CallError, errorOf } from "./errors.ts";
import { onMessage, type StreamMessage } from "./live.ts";

export interface Query<T> {
  /** The last response; it stays while the next read runs. */
  data?: T;
  /** Of the last attempt. */
  error?: CallError;
  isLoading: boolean;
  reload(): void;
}

/** Messages within this time become one call. Milliseconds. */
const GATHER_MS = 150;
/** After a call that failed. Milliseconds. */
const TRY_AGAIN_MS = 5_000;

/**
 * Reads, and reads again after a message of the stream that concerns it.
 * @param key identifies what is read: when it changes, the earlier data is dropped.
 * @param concerns which messages mean that the data may have changed; a gap always does.
 */
export function useQuery<T>(
  key: string,
  read: () => Promise<T>,
  concerns: (message: StreamMessage) => boolean = () => false,
): Query<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: CallError; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const latest = useRef({ read, concerns });
  latest.current = { read, concerns };
  const reading = useRef({ isUnderWay: false, again: false });
  const reload = useCallback(async () => {
    const mine = reading.current;
    // One read at a time: any number of messages meanwhile lead to one more read.
    mine.again = mine.isUnderWay;
    if (mine.isUnderWay) return;
    mine.isUnderWay = true;
    do {
      mine.again = false;
      setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
      const outcome = await latest.current.read().then(
        (data) => ({ key, data, isLoading: false }),
        (error) => ({ key, error: errorOf(error), isLoading: false }),
      );
      // The page reads something else by now, or is closed.
      if (reading.current !== mine) return;
      setState((before) => ("error" in outcome && before.key === key ? { ...before, ...outcome } : outcome));
    } while (mine.again);
    mine.isUnderWay = false;
  }, [key]);
  useEffect(() => {
    void reload();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onMessage((message) => {
      if (message.type !== "gap" && !latest.current.concerns(message)) return;
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
    if (!state.error || state.isLoading || state.error.status !== undefined) return;
    const timer = setTimeout(() => void reload(), TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state, reload]);
  const shown = state.key === key ? state : { isLoading: true };
  return { ...shown, reload: () => void reload() };
}

const EVERY_MS = 10_000;

/** Reads again every 10 seconds while the page is visible, and immediately when it becomes visible. */
export function useRefresh(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === "visible") latest.current();
    };
    const timer = setInterval(read, EVERY_MS);
    document.addEventListener("visibilitychange", read);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, []);
}
