import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { counted } from "../../contract/operator-text.ts";
import { ActionButton } from "../components/action-button.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { Empty } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { useNames } from "../data/names.ts";
import { may } from "../session/me.ts";
import { TERMS } from "./labels.ts";
import {
  competenceTargets,
  inOrder,
  type Mappable,
  mappableOutlets,
  mappableRoles,
  stillOpen,
  workplaceTargets,
} from "./mapping.ts";
import { MappingRow, type MappingTableProps } from "./mapping-row.tsx";
import { ProviderError } from "./provider-error.tsx";
import type { Organisation } from "./use-integration.ts";
import type { Mapping } from "./use-mapping.ts";

interface Props {
  organisation: Organisation;
  mapping: Mapping;
}

/** The provider's outlets and roles beside the workplaces and competences of the platform. */
export function MappingSection({ organisation: { discovery }, mapping }: Props) {
  const { discover } = mapping;
  const isEmpty = discovery.outlets.length + discovery.roles.length === 0;
  return (
    <Section
      id="mapping"
      title="Mapping"
      aside={!isEmpty && may("discoverIntegration") && <ReadAgain discover={discover} />}
    >
      {!isEmpty && discover.error && <ProviderError error={discover.error} />}
      {isEmpty ? (
        <Empty title="No outlets and no roles">
          <p>Read them from the provider: that is the next step above.</p>
        </Empty>
      ) : (
        <Tables discovery={discovery} mapping={mapping} />
      )}
      <SaveBar {...mapping} />
    </Section>
  );
}

function ReadAgain({ discover }: Pick<Mapping, "discover">) {
  return (
    <ActionButton action={discover} isPushed onClick={discover.run}>
      {discover.isRunning ? "Reading …" : "Read again from the provider"}
    </ActionButton>
  );
}

function Tables({ discovery, mapping }: { discovery: Organisation["discovery"]; mapping: Mapping }) {
  const { workplaces, competences, areLoaded } = useNames();
  const { draft, choose, add } = mapping;
  return (
    <>
      <MappingTable
        kind="outlets"
        items={mappableOutlets(discovery)}
        targets={workplaceTargets(workplaces)}
        choices={draft.outlets}
        {...{ choose, add, areLoaded }}
      />
      <MappingTable
        kind="roles"
        items={mappableRoles(discovery)}
        targets={competenceTargets(competences)}
        choices={draft.roles}
        {...{ choose, add, areLoaded }}
      />
    </>
  );
}

/** Rows of a table that are shown at first, and more on request. */
const PAGE = 50;

function MappingTable(props: MappingTableProps) {
  const { kind, items, choices } = props;
  const { Provider, provider } = TERMS[kind];
  const open = stillOpen(items, choices);
  const { query } = useLocation();
  const [shown, setShown] = useState(PAGE);
  if (items.length === 0) return <p class="soft">The provider has no {provider}s.</p>;
  return (
    <div>
      <div class="row">
        <h3>
          {Provider}s to {TERMS[kind].platform}s
        </h3>
        <span class="soft">
          {open.length === 0 ? `all ${items.length}` : `${open.length} of ${items.length} not mapped`}
        </span>
        {may("updateMappings") && <AddAll {...props} open={open} />}
      </div>
      <table class="cards mapping" aria-label={`${Provider}s and ${TERMS[kind].platform}s`}>
        <thead>
          <tr>
            <th scope="col">Provider's {provider}</th>
            <th scope="col">{TERMS[kind].Platform}</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {inOrder(items, query.row)
            .slice(0, shown)
            .map((item) => (
              <MappingRow key={item.id} item={item} {...props} />
            ))}
        </tbody>
      </table>
      {items.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + PAGE)}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

/** An organisation may have hundreds of outlets that a new platform does not know. */
function AddAll({ kind, open, add }: MappingTableProps & { open: Mappable[] }) {
  const unknown = open.filter(({ suggestions }) => suggestions.length === 0);
  if (unknown.length < 2) return null;
  return (
    <ActionButton action={add} isPushed onClick={() => add.run(kind, unknown)}>
      Add {counted(unknown.length, TERMS[kind].platform)} with these names
    </ActionButton>
  );
}

/** Stays visible while there are unsaved changes. */
function SaveBar({ unsaved, add, save, discard }: Mapping) {
  if (unsaved === 0 && !add.error) return null;
  return (
    <div class="save-bar stack">
      {add.error && <ErrorBox error={add.error} />}
      {save.error && <ErrorBox error={save.error} />}
      <div class="row">
        <p role="status">
          <strong>{counted(unsaved, "change")} not saved</strong>
        </p>
        <button type="button" class="quiet push" onClick={discard}>
          Discard
        </button>
        <ActionButton action={save} tone="primary" onClick={save.run}>
          Save
        </ActionButton>
      </div>
    </div>
  );
}
