import { useState } from "preact/hooks";
import type { IntegrationCreate } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { readNamesAgain } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Registered, type Registration } from "./registered.tsx";
import { RegistrationForm } from "./registration-form.tsx";
import "./integrations.css";

export function NewIntegrationPage() {
  const [registration, setRegistration] = useState<Registration>();
  const register = useAction(async (order: IntegrationCreate) => {
    const created = await ask(api.createIntegration({ body: order }));
    setRegistration({ ...created, order: { name: order.name, kind: order.kind } });
    void readNamesAgain();
    return `${order.name} is registered.`;
  });
  return (
    <>
      <PageHead
        title={registration ? `${registration.order.name} is registered` : "Register an organisation"}
        within={{ href: "/console/integrations", name: "Integrations" }}
      />
      {registration ? <Registered {...registration} /> : <RegistrationForm action={register} />}
    </>
  );
}
