import { Views } from "../parts/views.tsx";

const VIEWS = [
  { name: "List", path: "/console/integrations" },
  { name: "Health", path: "/console/health" },
];

/** The two views of the organisations. */
export const IntegrationViews = () => <Views views={VIEWS} />;
