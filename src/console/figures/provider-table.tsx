import type { ProviderStatistics } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { ShortId } from "../parts/short-id.tsx";

/** Whose calls failed, the worst first. */
export function ProviderTable({ providers }: { providers: ProviderStatistics[] }) {
  const names = useNames();
  return (
    <section class="panel" aria-labelledby="providers">
      <h2 id="providers">Providers</h2>
      {providers.length === 0 ? (
        <p class="soft">No provider was called in this time.</p>
      ) : (
        <table class="cards">
          <caption class="unseen">
            Calls and failures of each provider, those with the most failures first
          </caption>
          <thead>
            <tr>
              <th scope="col">Organisation</th>
              <th scope="col" class="number">
                Calls
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col" class="number">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {providers.map((provider) => (
              <Row
                key={provider.providerId}
                provider={provider}
                name={names.integration(provider.providerId)?.name}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ provider, name }: { provider: ProviderStatistics; name: string | undefined }) {
  const { providerId, calls, failures } = provider;
  return (
    <tr>
      <td data-label="Organisation">
        {name === undefined ? (
          <ShortId id={providerId} />
        ) : (
          <a href={`/console/integrations/${providerId}`}>{name}</a>
        )}
      </td>
      <td data-label="Calls" class="number">
        {calls.toLocaleString("en-GB")}
      </td>
      <td data-label="Failed" class="number">
        {failures.toLocaleString("en-GB")}
      </td>
      <td data-label="Share" class="number">
        {shareOf(failures, calls)}
      </td>
    </tr>
  );
}

/** Few failures of many are not none. */
function shareOf(failures: number, calls: number): string {
  if (failures === 0 || calls === 0) return "0 %";
  const percent = (failures / calls) * 100;
  return percent < 1 ? "under 1 %" : `${Math.round(percent)} %`;
}
