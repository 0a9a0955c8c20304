import { addressWith } from "../parts/address.ts";
import { Views } from "../parts/views.tsx";

const VIEWS = [
  { name: "List", path: "/console/" },
  { name: "Week", path: "/console/week" },
];

/** The two views of the jobs. The organisation stays. */
export function JobViews({ providerId }: { providerId?: string | undefined }) {
  return <Views views={VIEWS} query={addressWith("", { providerId })} />;
}
