/** Contract section 4.1: one of two ways. */
export function RoutingChoice() {
  return (
    <fieldset class="routing">
      <legend>Routing</legend>
      <label>
        <input type="radio" name="routing" value="path" defaultChecked />
        <span>
          Path prefix (recommended): <code>{"/providers/{providerId}/shifts/{shiftId}"}</code>
        </span>
      </label>
      <label>
        <input type="radio" name="routing" value="header" />
        <span>
          Header: <code>{"/shifts/{shiftId}"}</code> with <code>X-Provider-Id</code>
        </span>
      </label>
    </fieldset>
  );
}
