import type { Handlers } from "../../../generated/operations/server.ts";
import type { Deps } from "../deps.ts";
import { previewReplay } from "../inbox/preview.ts";
import { replayEvent, replayEvents } from "../inbox/replay.ts";

type Replay = Pick<Handlers<undefined>, "replayEvent" | "replayEvents" | "previewReplay">;

interface Parts {
  deps: Deps;
}

/** Processing events again, and previewing what that would change. */
export function replayHandlers({ deps }: Parts): Replay {
  const queue = async (replayed: Promise<number>) => {
    return { status: 202, body: { queued: await replayed } } as const;
  };
  return {
    replayEvent: ({ path }) => queue(replayEvent(deps, path.eventId)),
    replayEvents: ({ body: { providerId, since } }) =>
      queue(replayEvents(deps, { providerId, since: new Date(since) })),
    previewReplay: async ({ path }) => ({ status: 200, body: await previewReplay(deps, path.eventId) }),
  };
}
