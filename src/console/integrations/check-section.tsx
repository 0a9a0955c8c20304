import { useState } from "preact/hooks";
import type { Integration, Issue } from "../../../generated/operations/types.ts";
import { issueText, subjectText } from "../../contract/operator-text.ts";
import { Badge, CodeSpans } from "../components/cells.tsx";
import { ActionButton } from "../components/dialog.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { Empty, More, QueryView } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { useIssues } from "./use-integration.ts";

/** The open findings of the checks of the provider's API against the contract. */
export function CheckSection({ providerId, checkedAt, timeZone }: Integration) {
  const failed = useIssues(providerId, "provider_check_failed");
  const findings = useIssues(providerId, "provider_check");
  return (
    <Section id="check" title="Provider check">
      <p class="soft">
        A check calls the provider's API as the contract describes it, without changing anything. Activating
        the integration queues a check too.
      </p>
      {may("verifyIntegration") && <CheckNow {...{ providerId, checkedAt }} />}
      <QueryView query={failed} lines={1}>
        {(failures) => failures.length > 0 && <Findings findings={failures} />}
      </QueryView>
      {(findings.data?.length !== 0 || failed.data?.length === 0) && (
        <QueryView query={findings} lines={3}>
          {(found) =>
            found.length > 0 ? <Findings findings={found} /> : <NoFinding at={checkedAt} zone={timeZone} />
          }
        </QueryView>
      )}
      {checkedAt !== undefined && (findings.data?.length ?? 0) > 0 && (
        <p class="hint">
          Last checked <Time at={checkedAt} zone={timeZone} />.
        </p>
      )}
      <More pages={findings} />
    </Section>
  );
}

function CheckNow({ providerId, checkedAt }: { providerId: string; checkedAt: string | undefined }) {
  const [request, setRequest] = useState<{ at: string; isQueued: boolean }>();
  const check = useAction(async () => {
    const { queued } = await ask(api.verifyIntegration({ params: { path: { providerId } } }));
    setRequest({ at: new Date().toISOString(), isQueued: queued });
  });
  return (
    <div class="stack tight">
      <div class="row">
        <ActionButton action={check} onClick={check.run}>
          {checkedAt === undefined ? "Check now" : "Check again"}
        </ActionButton>
        {/* It exists before it has a text, so that screen readers announce the text. */}
        <p class="soft" role="status">
          {request?.isQueued && (
            <>
              Queued <Time at={request.at} />. A check takes up to a minute. The findings below are updated
              automatically.
            </>
          )}
          {request && !request.isQueued && "This platform runs without checks of providers."}
        </p>
      </div>
      {check.error && <ErrorBox error={check.error} />}
    </div>
  );
}

function NoFinding({ at, zone }: { at: string | undefined; zone: string }) {
  if (at === undefined) {
    return (
      <Empty title="Not checked yet">
        <p>The first check runs when the integration is activated.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Passed: no finding">
      <p>
        Checked <Time at={at} zone={zone} />.
      </p>
    </Empty>
  );
}

function Findings({ findings }: { findings: Issue[] }) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <Finding key={finding.issueId} {...finding} />
      ))}
    </ul>
  );
}

function Finding(issue: Issue) {
  const { code, subject, firstAt, lastAt, count } = issue;
  const { title, detail, remedy } = issueText(issue);
  return (
    <li>
      <h3>
        <Badge tone={code === "provider_check_failed" ? "bad" : "warn"}>{title}</Badge> {subjectText(subject)}
      </h3>
      <p class="as-written">{detail}</p>
      {remedy && (
        <p class="as-written">
          <strong>What to do:</strong> <CodeSpans text={remedy} />
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
