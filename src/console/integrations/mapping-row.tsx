import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action-button.tsx";
import { Badge } from "../components/badge.tsx";
import { may } from "../session/me.ts";
import { TERMS } from "./labels.ts";
import type { Choices, Mappable, Target } from "./mapping.ts";
import type { Mapping } from "./use-mapping.ts";

export interface MappingRowProps extends Pick<Mapping, "choose" | "add"> {
  kind: keyof typeof TERMS;
  item: Mappable;
  targets: Target[];
  choices: Choices;
  /** Whether the targets are known. */
  areLoaded: boolean;
}

/** An outlet or role of the provider, and its mapping. */
export function MappingRow(props: MappingRowProps) {
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
