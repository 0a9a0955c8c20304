import { counted } from "../../contract/operator-text.ts";
import { ActionButton } from "./action-button.tsx";
import { TERMS } from "./labels.ts";
import { type Mappable, stillOpen } from "./mapping.ts";
import { MappingRow, type MappingTableProps } from "./mapping-row.tsx";

export function MappingTable(props: MappingTableProps) {
  const { kind, items, choices } = props;
  const { Provider, provider } = TERMS[kind];
  const open = stillOpen(items, choices);
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
        <AddAll {...props} open={open} />
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
          {items.map((item) => (
            <MappingRow key={item.id} item={item} {...props} />
          ))}
        </tbody>
      </table>
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
