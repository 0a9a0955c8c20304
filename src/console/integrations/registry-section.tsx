import { useEffect, useState } from "preact/hooks";
import type {
  RegistryFault,
  RegistryImportStatus,
  StreamImport,
} from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { type Column, Facts } from "../components/cells.tsx";
import { ActionButton } from "../components/dialog.tsx";
import { addressWith } from "../components/filters.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { QueryView, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask, type CallError } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";
import { useAction } from "../data/use-action.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { may } from "../session/me.ts";
import { ProviderError } from "./badges.tsx";

/** The import of the people whom the provider already has (contract section 2.5). */
export function RegistrySection({ providerId }: { providerId: string }) {
  const query = useImport(providerId);
  const importing = useAction(async () => {
    const params = { path: { providerId }, header: { Prefer: "respond-async" } };
    await ask(api.importRegistry({ params }));
    query.reload();
    return "The import has started.";
  });
  const isRunning = importing.isRunning || query.data?.state === "running";
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
          <ActionButton action={{ isRunning }} onClick={importing.run}>
            {isRunning ? "Importing …" : "Import the registry"}
          </ActionButton>
        </p>
      )}
      {importing.error && <ErrorBox error={importing.error} />}
      <QueryView query={query} lines={1}>
        {(of) => <Import {...of} providerId={providerId} />}
      </QueryView>
    </Section>
  );
}

/** The import that runs, or the last one; while one runs, with what the stream says of it. */
function useImport(providerId: string): Query<RegistryImportStatus> {
  const [seen, setSeen] = useState<StreamImport>();
  const query: Query<RegistryImportStatus> = useQuery(
    `registry import ${providerId}`,
    () => ask(api.getRegistryImport({ params: { path: { providerId } } })),
    ({ type, data }) =>
      (type === "integration" || (type === "import" && query.data?.state !== "running")) &&
      data.providerId === providerId,
  );
  useEffect(
    () =>
      onMessage(({ type, data }) => {
        if (type === "import" && data.providerId === providerId) setSeen(data);
      }),
    [providerId],
  );
  const { data } = query;
  if (data?.state !== "running" || seen?.traceId !== data.traceId) return query;
  return { ...query, data: { ...data, ...seen } };
}

type ImportProps = RegistryImportStatus & { providerId: string };

function Import(props: ImportProps) {
  const { state, endedAt, failure } = props;
  return (
    <>
      {/* It exists before it has a text, so that screen readers announce the text. */}
      <p role="status">{state === "running" && <Progress {...props} />}</p>
      {endedAt !== undefined && (
        <p class="hint">
          Last import <Time at={endedAt} />.
        </p>
      )}
      {failure && <ImportError error={failure} />}
      {state === "done" && <Result {...props} />}
    </>
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

function Progress({ entries, expected, imported, updated, skipped, invalid }: ImportProps) {
  const read =
    expected === undefined
      ? NUMBERS.format(entries)
      : `${NUMBERS.format(entries)} of ${NUMBERS.format(expected)}`;
  return (
    <>
      <strong>{read} read</strong>: {imported} imported, {updated} updated, {skipped} skipped, {invalid}{" "}
      invalid.
    </>
  );
}

const NUMBERS = new Intl.NumberFormat("en");

function Result({ providerId, imported, updated, skipped, invalid, unreleased, faults }: ImportProps) {
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

function Faults({ faults, invalid }: Pick<RegistryImportStatus, "faults" | "invalid">) {
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
