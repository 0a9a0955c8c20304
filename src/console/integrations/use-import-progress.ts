import { useEffect, useState } from "preact/hooks";
import { onMessage, type StreamMessage } from "../data/live.ts";

/** The newest message of the stream about an import, also of one started elsewhere. */
export interface ImportProgress {
  entries: number;
  imported: number;
  updated: number;
  skipped: number;
  invalid: number;
}

export function useImportProgress(providerId: string) {
  const [seen, setSeen] = useState<ImportProgress>();
  useEffect(
    () =>
      onMessage(({ type, data }) => {
        if (type === "import" && data.providerId === providerId) setSeen(progressIn(data));
      }),
    [providerId],
  );
  return { seen, forget: () => setSeen(undefined) };
}

function progressIn(data: StreamMessage["data"]): ImportProgress {
  const count = (name: string) => Number(data[name] ?? 0);
  return {
    entries: count("entries"),
    imported: count("imported"),
    updated: count("updated"),
    skipped: count("skipped"),
    invalid: count("invalid"),
  };
}
