import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { counted } from "../../contract/operator-text.ts";
import { Badge, type Column } from "../components/cells.tsx";
import { ActionButton } from "../components/dialog.tsx";
import { FilterForm, TextFilter } from "../components/filters.tsx";
import { SaveCsv } from "../components/save-csv.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { Empty, More, QueryView, TableHead } from "../components/table.tsx";
import { useNames } from "../data/names.ts";
import { may } from "../session/me.ts";
import { ProviderError, TERMS } from "./badges.tsx";
import {
  type Choices,
  competenceTargets,
  type Draft,
  type Mappable,
  type MappedList,
  type Target,
  workplaceTargets,
} from "./mapping.ts";
import type { Organisation } from "./use-integration.ts";
import type { Mapping } from "./use-mapping.ts";

interface Props {
  organisation: Organisation;
  mapping: Mapping;
}

/** The provider's outlets and roles beside the workplaces and competences of the platform. */
export function MappingSection({ organisation: { integration }, mapping }: Props) {
  const { discover } = mapping;
  const { outlets = 0, mappedOutlets = 0, roles = 0, mappedRoles = 0 } = integration.mapping ?? {};
  const isEmpty = outlets + roles === 0;
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
        <Tables
          mapping={mapping}
          counts={{ outlets: [outlets - mappedOutlets, outlets], roles: [roles - mappedRoles, roles] }}
        />
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

interface TablesProps {
  mapping: Mapping;
  /** How many are not mapped, and how many there are. */
  counts: Record<keyof Draft, [open: number, all: number]>;
}

function Tables({ mapping, counts }: TablesProps) {
  const { workplaces, competences, areLoaded } = useNames();
  const { draft, choose, add, addAll, lists } = mapping;
  const table = (kind: keyof Draft, targets: Target[]) => {
    const [open, all] = counts[kind];
    const row = { kind, targets, choices: draft[kind], choose, add, areLoaded };
    return <MappingTable row={row} list={lists[kind]} {...{ open, all, addAll }} />;
  };
  return (
    <>
      {table("outlets", workplaceTargets(workplaces))}
      {table("roles", competenceTargets(competences))}
    </>
  );
}

interface TableProps {
  row: Omit<MappingRowProps, "item">;
  list: MappedList;
  open: number;
  all: number;
  addAll: Mapping["addAll"];
}

function MappingTable({ row, list: { pages, search, find }, open, all, addAll }: TableProps) {
  const { kind } = row;
  const { Provider, provider, platform, Platform } = TERMS[kind];
  if (all === 0) return <p class="soft">The provider has no {provider}s.</p>;
  return (
    <div>
      <div class="row">
        <h3>
          {Provider}s to {platform}s
        </h3>
        <span class="soft">{open === 0 ? `all ${all}` : `${open} of ${all} not mapped`}</span>
        {open > 1 && may("updateMappings") && (
          <ActionButton action={addAll} isPushed onClick={() => addAll.run(kind)}>
            {addAll.isRunning ? "Adding …" : `Add all without a suggestion as ${platform}s`}
          </ActionButton>
        )}
      </div>
      <FilterForm label={`Filter the ${provider}s`}>
        <TextFilter name={`${Provider}: name or id`} value={search} onChange={find} />
      </FilterForm>
      <QueryView query={pages} lines={6}>
        {(items) => (
          <>
            <SaveCsv name={kind} columns={columnsOf(row)} readPage={pages.readPage} />
            <table class="cards mapping" aria-label={`${Provider}s and ${platform}s`}>
              <TableHead
                columns={[{ name: `Provider's ${provider}` }, { name: Platform }, { name: "State" }]}
              />
              <tbody>
                {items.map((item) => (
                  <MappingRow key={item.id} item={item} {...row} />
                ))}
              </tbody>
            </table>
            {items.length === 0 && (
              <p class="soft">
                No {provider} has this name or id.{" "}
                <button type="button" onClick={() => find("")}>
                  Show all
                </button>
              </p>
            )}
          </>
        )}
      </QueryView>
      <More pages={pages} />
    </div>
  );
}

/** Of the file. */
function columnsOf({ kind, targets }: TableProps["row"]): Column<Mappable>[] {
  const names = new Map(targets.map(({ id, name }) => [id, name]));
  const { Provider, Platform } = TERMS[kind];
  return [
    { name: Provider, cell: ({ name }) => name },
    { name: `${Provider} id`, cell: ({ id }) => id },
    { name: "Address", cell: ({ address }) => address },
    { name: Platform, cell: ({ mappedTo = "" }) => names.get(mappedTo) ?? mappedTo },
  ];
}

/** Stays visible while there are unsaved changes. */
function SaveBar({ unsaved, add, addAll, save, discard }: Mapping) {
  const notAdded = add.error ?? addAll.error;
  if (unsaved === 0 && !notAdded) return null;
  return (
    <div class="save-bar stack">
      {notAdded && <ErrorBox error={notAdded} />}
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

export interface MappingRowProps extends Pick<Mapping, "choose" | "add"> {
  kind: keyof typeof TERMS;
  item: Mappable;
  targets: Target[];
  choices: Choices;
  /** Whether the targets are known. */
  areLoaded: boolean;
}

/** An outlet or role of the provider, and its mapping. */
function MappingRow(props: MappingRowProps) {
  const { kind, item, choices } = props;
  const { Provider, Platform } = TERMS[kind];
  const select = useRef<HTMLSelectElement>(null);
  const isOpen = item.mappedTo === undefined && choices[item.id] === undefined;
  return (
    <tr>
      <td data-label={Provider}>
        <span>
          {item.name}
          {item.address && (
            <>
              <br />
              <span class="soft">{item.address}</span>
            </>
          )}
        </span>
      </td>
      <td data-label={Platform}>
        <div class="stack tight">
          {may("updateMappings") ? <TargetSelect {...props} select={select} /> : <TargetName {...props} />}
          {/* The pressed button disappears: the select gets the focus. */}
          {isOpen && may("updateMappings") && (
            <Proposals {...props} onChosen={() => select.current?.focus()} />
          )}
        </div>
      </td>
      <td data-label="State">
        <span>
          <MappedState item={item} chosen={choices[item.id]} />
        </span>
      </td>
    </tr>
  );
}

function TargetName({ item: { mappedTo }, targets }: MappingRowProps) {
  if (mappedTo === undefined) return <span class="soft">none</span>;
  return <span>{targets.find(({ id }) => id === mappedTo)?.name ?? mappedTo}</span>;
}

/** Hundreds of lists with hundreds of options each would make the page slow. */
const MANY = 50;

function TargetSelect(props: MappingRowProps & { select: RefObject<HTMLSelectElement | null> }) {
  const { kind, item, targets, choices, choose, select, areLoaded } = props;
  const [isNear, setIsNear] = useState(false);
  const value = choices[item.id] ?? item.mappedTo ?? "";
  const fill = () => setIsNear(true);
  const empty = () => select.current !== document.activeElement && setIsNear(false);
  return (
    <select
      ref={select}
      aria-label={`${TERMS[kind].Platform} for ${item.name}`}
      value={value}
      onPointerEnter={fill}
      onPointerLeave={empty}
      onFocus={fill}
      onBlur={() => setIsNear(false)}
      onChange={(event) => choose(kind, item, event.currentTarget.value)}
    >
      {item.mappedTo === undefined && <option value="">{areLoaded ? "Select …" : "Loading …"}</option>}
      {value !== "" && !targets.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {targets
        .filter(({ id }) => isNear || targets.length <= MANY || id === value)
        .map(({ id, name, address }) => (
          <option key={id} value={id}>
            {name}
            {address && `, ${address}`}
          </option>
        ))}
    </select>
  );
}

function Proposals({ kind, item, choose, add, onChosen }: MappingRowProps & { onChosen(): void }) {
  return (
    <div class="row">
      {item.suggestions.map(({ id, name, score }) => (
        <button
          type="button"
          key={id}
          onClick={() => {
            choose(kind, item, id);
            onChosen();
          }}
        >
          Map to {name} <span class="soft">{Math.round(score * 100)} % similar</span>
        </button>
      ))}
      <ActionButton
        action={add}
        onClick={async () => {
          await add.run(kind, item);
          onChosen();
        }}
      >
        Add<span class="visually-hidden"> {item.name}</span> as a new {TERMS[kind].platform}
      </ActionButton>
    </div>
  );
}

function MappedState({ item, chosen }: { item: Mappable; chosen: string | undefined }) {
  if (chosen !== undefined) return <Badge tone="busy">not saved</Badge>;
  return item.mappedTo === undefined ? (
    <Badge tone="warn">not mapped</Badge>
  ) : (
    <Badge tone="good">mapped</Badge>
  );
}
