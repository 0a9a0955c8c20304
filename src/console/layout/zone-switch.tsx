import {
  chooseZone,
  knownZones,
  readersZone,
  shownZone,
  type ZoneChoice,
  zoneChoice,
} from "../components/zone.ts";
import { useNames } from "../data/names.ts";

/** Names the zone of all times on the page, and switches between the organisations' and the viewer's. */
export function ZoneSwitch() {
  // The zones are those of the organisations, which not every page reads.
  useNames();
  const several = knownZones.value.length > 1;
  const ofOrganisations = several
    ? "of each organisation"
    : zoneChoice.value === "organisation"
      ? shownZone()
      : (knownZones.value[0] ?? readersZone());
  return (
    <label class="zone-switch">
      Times in{" "}
      <select
        value={zoneChoice.value}
        onChange={(event) => chooseZone(event.currentTarget.value as ZoneChoice)}
      >
        <option value="organisation">{ofOrganisations}</option>
        <option value="viewer">{readersZone()} (mine)</option>
      </select>
    </label>
  );
}
