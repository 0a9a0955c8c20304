import { useState } from "preact/hooks";
import type { Integration, Issue } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Badge } from "../parts/badge.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { isOfCheck } from "./open-issues.ts";
import { Section } from "./section.tsx";
import { useIssues } from "./use-integration.ts";

/** What checks of the provider's API against the contract have found and what is still so. */
export function CheckSection({ providerId, state }: Integration) {
  const issues = useIssues(providerId);
  return (
    <Section id="check" title="Check of the provider">
      <p class="soft">
        The platform calls the provider's API as the contract has it, with calls that change nothing.
        Activating queues a check too.
      </p>
      <CheckAgain providerId={providerId} />
      <Shown query={issues} lines={3}>
        {(all) => <Findings findings={all.filter(isOfCheck)} isDraft={state === "draft"} />}
      </Shown>
    </Section>
  );
}

function CheckAgain({ providerId }: { providerId: string }) {
  const [asked, setAsked] = useState<{ at: string; isQueued: boolean }>();
  const check = useAction(async () => {
    const { queued } = await ask(api.verifyIntegration({ params: { path: { providerId } } }));
    setAsked({ at: new Date().toISOString(), isQueued: queued });
  });
  return (
    <div class="stack tight">
      <div class="row">
        <ActionButton action={check} onClick={check.run}>
          Check again
        </ActionButton>
        {/* It is there before it says something, so that it is read out. */}
        <p class="soft" role="status">
          {asked?.isQueued && (
            <>
              Queued <Time at={asked.at} />. It takes up to a minute; what it finds comes here by itself, and
              what it no longer finds goes.
            </>
          )}
          {asked && !asked.isQueued && "This platform was started without a check of providers."}
        </p>
      </div>
      {check.trouble && <TroubleBox trouble={check.trouble} />}
    </div>
  );
}

function Findings({ findings, isDraft }: { findings: Issue[]; isDraft: boolean }) {
  if (findings.length === 0) {
    return (
      <Empty title="No findings">
        <p>
          {isDraft
            ? "Unless somebody asked for a check, the first is made when the integration is activated."
            : "Nothing that a check found is open."}
        </p>
      </Empty>
    );
  }
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <Finding key={finding.issueId} {...finding} />
      ))}
    </ul>
  );
}

function Finding({ code, subject, detail, remedy, firstAt, lastAt, count }: Issue) {
  return (
    <li>
      <h3>
        {code === "provider_check_failed" ? (
          <Badge tone="bad">could not be checked</Badge>
        ) : (
          <Badge tone="warn">found</Badge>
        )}{" "}
        {subject}
      </h3>
      <p class="as-written">{detail}</p>
      {remedy && (
        <p class="as-written">
          <strong>What to do:</strong> {remedy}
        </p>
      )}
      <p class="hint">
        First <Time at={firstAt} />
        {count > 1 && (
          <>
            , {count} times, last <Time at={lastAt} />
          </>
        )}
      </p>
    </li>
  );
}
