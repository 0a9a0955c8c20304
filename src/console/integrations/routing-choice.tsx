import type { ComponentChildren } from "preact";
import type { RoutingOrder } from "../../../generated/operations/types.ts";

const CHOICES: readonly (readonly [RoutingOrder, ComponentChildren])[] = [
  ["auto", "Detect: the platform calls the provider in both ways"],
  [
    "path",
    <>
      Path prefix: <code>{"/providers/{providerId}/shifts/{shiftId}"}</code>
    </>,
  ],
  [
    "header",
    <>
      Header: <code>{"/shifts/{shiftId}"}</code> with <code>X-Provider-Id</code>
    </>,
  ],
];

/** Contract section 4.1: one of two ways. */
export function RoutingChoice({ chosen = "auto" }: { chosen?: RoutingOrder }) {
  return (
    <fieldset class="routing">
      <legend>Routing</legend>
      {CHOICES.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name="routing" value={value} defaultChecked={value === chosen} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The choice in the data of a form. */
export function routingIn(given: FormData): RoutingOrder {
  const routing = given.get("routing");
  return routing === "path" || routing === "header" ? routing : "auto";
}
