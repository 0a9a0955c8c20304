import { may } from "../session/me.ts";

/** What to do on a platform without an organisation. */
export function RegisterFirst() {
  if (!may("createIntegration")) return <>An admin registers the first one</>;
  return <a href="/console/integrations/new">Register the first one</a>;
}
