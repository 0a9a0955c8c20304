import { useEffect, useState } from "preact/hooks";
import type { StreamImport } from "../../../generated/operations/types.ts";
import { onMessage } from "../data/live.ts";

/** Returns the latest progress of an import, also of one started elsewhere. */
export function useImportProgress(providerId: string) {
  const [seen, setSeen] = useState<StreamImport>();
  useEffect(
    () =>
      onMessage(({ type, data }) => {
        if (type === "import" && data.providerId === providerId) setSeen(data);
      }),
    [providerId],
  );
  return { seen, forget: () => setSeen(undefined) };
}
