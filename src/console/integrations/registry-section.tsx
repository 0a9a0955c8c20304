import { useEffect, useState } from "preact/hooks";
import type { RegistryFault, RegistryImport, StreamImport } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ActionButton } from "../components/action-button.tsx";
import type { Column } from "../components/cells.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { Facts } from "../components/facts.tsx";
import { addressWith } from "../components/filter.ts";
import { Section } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask, type CallError } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";
import { reloadNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { ProviderError } from "./provider-error.tsx";

/** The import of the people whom the provider already has (contract section 2.5). */
export function RegistrySection({ providerId }: { providerId: string }) {
  const progress = useImportProgress(providerId);
  const [result, setResult] = useState<RegistryImport>();
  const importing = useAction(async () => {
    setResult(undefined);
    progress.forget();
    setResult(await ask(api.importRegistry({ params: { path: { providerId } } })));
    void reloadNames();
    return "Registry imported.";
  });
  return (
    <Section id="registry" title="Registry">
      <p class="soft">
        Adds the people of the provider's registry as candidates, by personal number. They are offered and
        booked on this organisation's shifts only, until you release them. Known candidates keep their data on
        the platform. Bank details, emergency contacts, and work history are not stored. Repeating the import
        is safe.
      </p>
      {may("importRegistry") && (
        <p>
          <ActionButton action={importing} onClick={importing.run}>
            {importing.isRunning ? "Importing …" : "Import the registry"}
          </ActionButton>
        </p>
      )}
      {!result && progress.seen && <Progress {...progress.seen} isRunning={importing.isRunning} />}
      {importing.error && <ImportError error={importing.error} />}
      {result && <Result {...result} providerId={providerId} />}
    </Section>
  );
}

/** The registry is optional, so its absence needs no fix. */
function ImportError({ error }: { error: CallError }) {
  if (error.code !== "registry_absent") return <ProviderError error={error} />;
  return (
    <div class="stack">
      <ErrorBox error={error} />
      <p class="hint">
        The registry is optional in the contract. Add candidates under <a href="/console/people">People</a>.
        Each is looked up or created at the provider when booked.
      </p>
    </div>
  );
}

/** Returns the latest progress of an import, also of one started elsewhere. */
function useImportProgress(providerId: string) {
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

type Counts = Pick<StreamImport, "entries" | "imported" | "updated" | "skipped" | "invalid">;

interface ProgressProps extends Counts {
  /** Whether the import was started on this page: the end of any other one is not reported. */
  isRunning: boolean;
}

function Progress({ entries, imported, updated, skipped, invalid, isRunning }: ProgressProps) {
  return (
    <p role="status">
      <strong>
        {isRunning
          ? `${counted(entries, "entry", "entries")} read`
          : `An import read ${counted(entries, "entry", "entries")}`}
      </strong>
      : {imported} imported, {updated} updated, {skipped} skipped, {invalid} invalid.
    </p>
  );
}

function Result({ providerId, ...result }: RegistryImport & { providerId: string }) {
  const { imported, updated, skipped, invalid, unreleased, faults } = result;
  const waiting = addressWith("/console/people", { providerId, state: "unreleased" });
  return (
    <>
      <Facts
        of={{
          Imported: counted(imported, "new candidate"),
          Updated: `${counted(updated, "candidate")} with missing data`,
          Skipped: `${counted(skipped, "candidate")} without missing data`,
          Invalid: counted(invalid, "unusable entry", "unusable entries"),
          "Waiting for a release":
            unreleased === 0 ? "none" : <a href={waiting}>{counted(unreleased, "person", "people")}</a>,
        }}
      />
      {faults.length > 0 && <Faults faults={faults} invalid={invalid} />}
    </>
  );
}

const FAULT_COLUMNS: readonly Column<RegistryFault>[] = [
  { name: "Entry", cell: ({ entry }) => entry },
  { name: "Reason", cell: ({ reason }) => reason },
];

function Faults({ faults, invalid }: Pick<RegistryImport, "faults" | "invalid">) {
  const isPart = invalid > faults.length;
  return (
    <>
      <h3>{isPart ? `Faults of the first ${faults.length} of ${invalid} entries` : "Faults"}</h3>
      <Table
        caption="Entries that were not imported"
        columns={FAULT_COLUMNS}
        rows={faults}
        keyOf={({ entry, reason }) => `${entry} ${reason}`}
      />
    </>
  );
}
