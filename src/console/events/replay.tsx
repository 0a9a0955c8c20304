import { useState } from "preact/hooks";
import type { Event, ReplayPreview } from "../../../generated/operations/types.ts";
import { eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { ActionButton } from "../components/action-button.tsx";
import type { Column } from "../components/cells.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { Focused } from "../components/focused.tsx";
import { Section } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { type ChangeText, changeTexts } from "./change-text.ts";
import { EventBadge } from "./event-badge.tsx";

interface Props {
  event: Event;
  onQueued(): void;
}

/** The outcome of the event, and its replay: first the preview, then the replay itself. */
export function Replay({ event, onQueued }: Props) {
  const { preview, dryRun, replay, queued } = useReplay(event, onQueued);
  const zone = useNames().integration(event.providerId)?.timeZone;
  const mayReplay =
    may("replayEvent") && (preview !== undefined || dryRun.error?.code === "provider_unavailable");
  return (
    <Section id="outcome" title="Outcome">
      <div>
        {event.verdict && <p>{outcomeText(event.verdict)}</p>}
        <p class="soft">{eventStatusText(event).meaning}</p>
      </div>
      <div class="row">
        <ActionButton action={dryRun} onClick={dryRun.run}>
          Preview a replay
        </ActionButton>
        {dryRun.isRunning && <span class="soft">Reading the shift from the provider …</span>}
      </div>
      {dryRun.error && <ErrorBox error={dryRun.error} />}
      {preview && <Preview preview={preview} zone={zone} />}
      {mayReplay && <ReplayButton replay={replay} wasPreviewed={preview !== undefined} />}
      {replay.error && <ErrorBox error={replay.error} />}
      <Queued queued={queued} />
    </Section>
  );
}

function ReplayButton({ replay, wasPreviewed }: { replay: Action<[]>; wasPreviewed: boolean }) {
  return (
    <div class="row">
      <ActionButton action={replay} tone="primary" onClick={replay.run}>
        {wasPreviewed ? "Replay" : "Replay anyway"}
      </ActionButton>
      <span class="hint">The provider is read again, and no effect happens twice.</span>
    </div>
  );
}

function useReplay({ eventId }: Event, onQueued: () => void) {
  const [preview, setPreview] = useState<ReplayPreview>();
  const [queued, setQueued] = useState<number>();
  const params = { path: { eventId } };
  const dryRun = useAction(async () => {
    setQueued(undefined);
    setPreview(undefined);
    setPreview(await ask(api.previewReplay({ params })));
  });
  const replay = useAction(async () => {
    const { queued: number } = await ask(api.replayEvent({ params }));
    setPreview(undefined);
    setQueued(number);
    onQueued();
  });
  return { preview, dryRun, replay, queued };
}

function Queued({ queued }: { queued: number | undefined }) {
  if (queued === undefined) return null;
  return (
    <Focused class="replay-queued">
      {queued > 0
        ? "Queued again. The outcome appears here."
        : "Not queued: the contract has no event of this name."}
    </Focused>
  );
}

interface PreviewProps {
  preview: ReplayPreview;
  /** IANA zone of the workplace. */
  zone: string | undefined;
}

/** The result of the dry run, which changes nothing. */
function Preview({ preview: { status, verdict, changes }, zone }: PreviewProps) {
  const names = useNames();
  const nameOf = (field: string, id: string) => {
    if (field === "workplaceId") return names.workplace(id)?.name;
    return field === "competenceId" ? names.competence(id)?.name : undefined;
  };
  const texts = changeTexts(changes, { zone, nameOf });
  return (
    <div class="replay-preview stack" role="status">
      <p>
        <strong>Result of a replay:</strong> <EventBadge status={status} attempts={0} />{" "}
        {outcomeText(verdict)}
      </p>
      {texts.length === 0 ? (
        <p class="soft">The job would not change.</p>
      ) : (
        <Table
          caption="Changes of the job by a replay"
          columns={CHANGE_COLUMNS}
          rows={texts}
          keyOf={({ field }) => field}
        />
      )}
    </div>
  );
}

const CHANGE_COLUMNS: readonly Column<ChangeText>[] = [
  { name: "Field", cell: ({ field }) => field },
  { name: "Now", cell: ({ from }) => from },
  { name: "After a replay", cell: ({ to }) => to },
];
