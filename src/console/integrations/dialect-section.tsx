import type { Dialect, ProviderReport } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { Shown } from "../parts/shown.tsx";
import { FieldReport } from "./field-report.tsx";
import { FORMS } from "./labels.ts";
import { Section } from "./section.tsx";

/** Which forms of the contract the provider uses, and which optional fields its shifts have. */
export function DialectSection({ providerId }: { providerId: string }) {
  const report = useQuery(
    `report ${providerId}`,
    () => ask(api.getProviderReport({ params: { path: { providerId } } })),
    ({ type, data }) => (type === "event" && data.providerId === providerId) || type === "booking",
  );
  return (
    <Section id="dialect" title="Dialect">
      <Shown query={report} lines={10}>
        {(data: ProviderReport) => (
          <>
            <Forms dialect={data.dialect} />
            <FieldReport {...data} />
          </>
        )}
      </Shown>
    </Section>
  );
}

function Forms({ dialect }: { dialect: Dialect }) {
  return (
    <dl class="facts">
      {FORMS.map(({ form, name, seen }) => {
        const value = dialect[form];
        return [
          <dt key={`${form} name`}>{name}</dt>,
          <dd key={form}>
            {value === undefined ? <span class="soft">not observed yet</span> : (seen[value] ?? value)}
          </dd>,
        ];
      })}
    </dl>
  );
}
