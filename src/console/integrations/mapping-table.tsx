import { ActionButton } from "./action-button.tsx";
import { type Mappable, stillOpen } from "./mapping.ts";
import { MappingRow, type MappingTableProps } from "./mapping-row.tsx";
import { counted } from "./onboarding.ts";
import { WORDS } from "./words.ts";

export function MappingTable(props: MappingTableProps) {
  const { kind, items, choices } = props;
  const { Theirs, Ours, theirs } = WORDS[kind];
  const open = stillOpen(items, choices);
  if (items.length === 0) return <p class="soft">The provider has no {theirs}s.</p>;
  return (
    <div>
      <div class="row">
        <h3>
          {Theirs}s to {WORDS[kind].ours}s
        </h3>
        <span class="soft">
          {open.length === 0 ? `all ${items.length}` : `${open.length} of ${items.length} still open`}
        </span>
        <AddAll {...props} open={open} />
      </div>
      <table class="cards mapping" aria-label={`${Theirs}s and ${WORDS[kind].ours}s`}>
        <thead>
          <tr>
            <th scope="col">Provider's {theirs}</th>
            <th scope="col">Our {Ours.toLowerCase()}</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <MappingRow key={item.id} item={item} {...props} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An organisation may have hundreds, and a new platform has none of them. */
function AddAll({ kind, open, add }: MappingTableProps & { open: Mappable[] }) {
  const unlike = open.filter(({ suggestions }) => suggestions.length === 0);
  if (unlike.length < 2) return null;
  return (
    <ActionButton action={add} isPushed onClick={() => add.run(kind, unlike)}>
      Add {counted(unlike.length, WORDS[kind].ours)} with these names
    </ActionButton>
  );
}
