import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { Badge } from "../parts/badge.tsx";
import { ActionButton } from "./action-button.tsx";
import type { Choices, Mappable, Target } from "./mapping.ts";
import type { Mapping } from "./use-mapping.ts";
import { WORDS } from "./words.ts";

export interface MappingTableProps extends Pick<Mapping, "choose" | "add"> {
  kind: keyof typeof WORDS;
  items: Mappable[];
  targets: Target[];
  choices: Choices;
  /** Whether the targets are known. */
  areRead: boolean;
}

type Props = Omit<MappingTableProps, "items"> & { item: Mappable };

/** One of theirs, and which of ours it is. */
export function MappingRow(props: Props) {
  const { kind, item, choices } = props;
  const { Theirs, Ours } = WORDS[kind];
  const select = useRef<HTMLSelectElement>(null);
  const isOpen = item.mappedTo === undefined && choices[item.id] === undefined;
  return (
    <tr>
      <td data-label={Theirs}>
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
      <td data-label={Ours}>
        <div class="stack tight">
          <TargetSelect {...props} select={select} />
          {/* The button that was pressed goes away: the focus goes to what it chose. */}
          {isOpen && <Proposals {...props} onChosen={() => select.current?.focus()} />}
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

/** Hundreds of lists with hundreds of entries each would make the page slow. */
const MANY = 50;

function TargetSelect(props: Props & { select: RefObject<HTMLSelectElement | null> }) {
  const { kind, item, targets, choices, choose, select, areRead } = props;
  const [isNear, setIsNear] = useState(false);
  const value = choices[item.id] ?? item.mappedTo ?? "";
  const come = () => setIsNear(true);
  return (
    <select
      ref={select}
      aria-label={`${WORDS[kind].Ours} for ${item.name}`}
      value={value}
      onPointerEnter={come}
      onFocus={come}
      onChange={(event) => choose(kind, item, event.currentTarget.value)}
    >
      {item.mappedTo === undefined && <option value="">{areRead ? "Choose …" : "Loading …"}</option>}
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

function Proposals({ kind, item, choose, add, onChosen }: Props & { onChosen(): void }) {
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
          It is {name} <span class="soft">{Math.round(score * 100)} % alike</span>
        </button>
      ))}
      <ActionButton
        action={add}
        onClick={async () => {
          await add.run(kind, [item]);
          onChosen();
        }}
      >
        Add<span class="unseen"> {item.name}</span> as a new {WORDS[kind].ours}
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
