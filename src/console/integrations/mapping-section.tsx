import { counted } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { Empty } from "../parts/shown.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { competenceTargets, mappableOutlets, mappableRoles, workplaceTargets } from "./mapping.ts";
import { MappingTable } from "./mapping-table.tsx";
import { ProviderTrouble } from "./provider-trouble.tsx";
import { Section } from "./section.tsx";
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
    <Section id="mapping" title="Mapping" aside={!isEmpty && <ReadAgain discover={discover} />}>
      {!isEmpty && discover.trouble && <ProviderTrouble trouble={discover.trouble} />}
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
  const { workplaces, competences, areRead } = useNames();
  const { draft, choose, add } = mapping;
  return (
    <>
      <MappingTable
        kind="outlets"
        items={mappableOutlets(discovery)}
        targets={workplaceTargets(workplaces)}
        choices={draft.outlets}
        {...{ choose, add, areRead }}
      />
      <MappingTable
        kind="roles"
        items={mappableRoles(discovery)}
        targets={competenceTargets(competences)}
        choices={draft.roles}
        {...{ choose, add, areRead }}
      />
    </>
  );
}

/** Stays visible while there are unsaved changes. */
function SaveBar({ unsaved, add, save, discard }: Mapping) {
  if (unsaved === 0 && !add.trouble) return null;
  return (
    <div class="save-bar stack">
      {add.trouble && <TroubleBox trouble={add.trouble} />}
      {save.trouble && <TroubleBox trouble={save.trouble} />}
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
