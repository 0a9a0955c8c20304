import type { Dialect } from "../../../generated/operations/types.ts";
import { DIALECT_CHOICES } from "../../contract/dialect.ts";
import { Facts } from "../components/facts.tsx";
import { Section } from "../components/section.tsx";

/** The choices of the contract that the provider made. */
export function DialectSection({ dialect }: { dialect: Dialect }) {
  const { routing: _configured, ...choices } = DIALECT_CHOICES;
  const observed = Object.entries(choices).map(([choice, { name, forms }]) => {
    const form = dialect[choice as keyof Dialect];
    const text = forms.find(([each]) => each === form)?.[1] ?? form;
    return [name, text ?? <span class="soft">not observed yet</span>] as const;
  });
  return (
    <Section id="dialect" title="Dialect">
      <Facts of={Object.fromEntries(observed)} />
    </Section>
  );
}
