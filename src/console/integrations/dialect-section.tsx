import type { Dialect, ProviderReport } from "../../../generated/operations/types.ts";
import { DIALECT_CHOICES } from "../../contract/dialect.ts";
import { counted } from "../../contract/operator-text.ts";
import type { Column } from "../components/cells.tsx";
import { Facts } from "../components/facts.tsx";
import { QueryView } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useQuery } from "../data/use-query.ts";
import { share, type Use, usesOf } from "./field-uses.ts";

/** The choices of the contract that the provider made, and the optional fields of its shifts. */
export function DialectSection({ providerId }: { providerId: string }) {
  const report = useQuery(
    `report ${providerId}`,
    () => ask(api.getProviderReport({ params: { path: { providerId } } })),
    ({ type, data }) => (type === "event" && data.providerId === providerId) || type === "booking",
  );
  return (
    <Section id="dialect" title="Dialect">
      <QueryView query={report} lines={10}>
        {(data: ProviderReport) => (
          <>
            <Choices dialect={data.dialect} />
            <FieldReport {...data} />
          </>
        )}
      </QueryView>
    </Section>
  );
}

function Choices({ dialect }: { dialect: Dialect }) {
  const { routing: _configured, ...choices } = DIALECT_CHOICES;
  const observed = Object.entries(choices).map(([choice, { name, forms }]) => {
    const form = dialect[choice as keyof Dialect];
    const text = forms.find(([each]) => each === form)?.[1] ?? form;
    return [name, text ?? <span class="soft">not observed yet</span>] as const;
  });
  return <Facts of={Object.fromEntries(observed)} />;
}

/** How often shifts had each optional field (contract section 2.2). */
function FieldReport({ fields, shiftsRead }: ProviderReport) {
  const uses = usesOf({ fields });
  if (shiftsRead === 0) return <p class="soft">No shift read yet. Their fields appear here.</p>;
  return (
    <>
      <h3>Optional fields in {counted(shiftsRead, "read")} of shifts</h3>
      <div class="uses">
        <Uses label="Fields of variant A" of={shiftsRead} uses={uses.fields.filter(is("a"))} />
        <Uses label="Fields of variant B" of={shiftsRead} uses={uses.fields.filter(is("b"))} />
        <Uses label="Other fields" of={shiftsRead} uses={uses.fields.filter(is(undefined))} />
        <Uses label="Warnings" of={shiftsRead} uses={uses.warnings} />
      </div>
    </>
  );
}

const is =
  (variant: Use["variant"]) =>
  (use: Use): boolean =>
    use.variant === variant;

function Uses({ label, uses, of }: { label: string; uses: Use[]; of: number }) {
  if (uses.length === 0) return null;
  const columns: Column<Use>[] = [
    { name: label, cell: ({ name }) => name },
    {
      name: "Present in",
      isNumber: true,
      cell: ({ count }) => (count === 0 ? <span class="soft">not observed yet</span> : share(count, of)),
    },
  ];
  return <Table caption={label} columns={columns} rows={uses} keyOf={({ name }) => name} />;
}
