import { useState } from "preact/hooks";
import type { RegistryImport } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { readNamesAgain } from "../data/names.ts";
import { ask, type Trouble } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { ProviderTrouble } from "./provider-trouble.tsx";
import { RegistryProgress } from "./registry-progress.tsx";
import { RegistryResult } from "./registry-result.tsx";
import { Section } from "./section.tsx";
import { useImportProgress } from "./use-import-progress.ts";

/** The import of the people whom the provider already has (contract section 2.5). */
export function RegistrySection({ providerId }: { providerId: string }) {
  const progress = useImportProgress(providerId);
  const [result, setResult] = useState<RegistryImport>();
  const importing = useAction(async () => {
    setResult(undefined);
    progress.forget();
    setResult(await ask(api.importRegistry({ params: { path: { providerId } } })));
    void readNamesAgain();
    return "Registry imported.";
  });
  return (
    <Section id="registry" title="Registry">
      <p class="soft">
        Adds the people of the provider's registry as candidates, by personal number. Known candidates keep
        their data on the platform. Bank details, emergency contacts, and work history are not stored.
        Repeating the import is safe.
      </p>
      <p>
        <ActionButton action={importing} onClick={importing.run}>
          {importing.isRunning ? "Importing …" : "Import the registry"}
        </ActionButton>
      </p>
      {!result && progress.seen && <RegistryProgress {...progress.seen} isRunning={importing.isRunning} />}
      {importing.trouble && <ImportTrouble trouble={importing.trouble} />}
      {result && <RegistryResult {...result} />}
    </Section>
  );
}

/** The registry is optional, so its absence needs no fix. */
function ImportTrouble({ trouble }: { trouble: Trouble }) {
  if (trouble.code !== "registry_absent") return <ProviderTrouble trouble={trouble} />;
  return (
    <div class="stack">
      <TroubleBox trouble={trouble} />
      <p class="hint">
        The registry is optional in the contract. Candidates sign up on the platform. Each is looked up or
        created at the provider when booked.
      </p>
    </div>
  );
}
