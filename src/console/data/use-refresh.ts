import { useEffect, useRef } from "preact/hooks";

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
