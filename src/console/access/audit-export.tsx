import { BASE_URL, callWithToken } from "../data/api.ts";
import { TroubleError } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

/** Saves every entry that fits the filters. A plain link would carry no token. */
export function AuditExport({ query }: { query: Readonly<Record<string, string>> }) {
  const save = useAction(async () => {
    const response = await callWithToken(
      new Request(`${BASE_URL}/audit/export?${new URLSearchParams(query)}`),
    );
    if (!response.ok) {
      throw new TroubleError({ title: `The platform answered with HTTP ${response.status}` });
    }
    saveAs("audit.ndjson", await response.blob());
    return "The export is saved as audit.ndjson.";
  });
  return (
    <>
      <ActionButton action={save} onClick={() => void save.run()}>
        Export
      </ActionButton>
      {save.trouble && <TroubleBox trouble={save.trouble} />}
    </>
  );
}

function saveAs(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
