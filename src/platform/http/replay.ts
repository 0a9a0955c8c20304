import type { Handlers } from "../../../generated/operations/server.ts";
import type { Deps } from "../deps.ts";
import type { Dispatcher } from "../inbox/dispatch.ts";
import { previewReplay } from "../inbox/preview.ts";
import { replayEvent, replayEvents } from "../inbox/replay.ts";

type Replay = Pick<Handlers<undefined>, "replayEvent" | "replayEvents" | "previewReplay">;

interface Parts {
  deps: Deps;
  dispatcher: Pick<Dispatcher, "wake">;
}

/** Processing events again, and looking first what that would change. */
export function replayHandlers({ deps, dispatcher }: Parts): Replay {
  const queue = async (replayed: Promise<number>) => {
    const queued = await replayed;
    if (queued > 0) dispatcher.wake();
    return { status: 202, body: { queued } } as const;
  };
  return {
    replayEvent: ({ path }) => queue(replayEvent(deps, path.eventId)),
    replayEvents: ({ body: { providerId, since } }) =>
      queue(replayEvents(deps, { providerId, since: new Date(since) })),
    previewReplay: async ({ path }) => ({ status: 200, body: await previewReplay(deps, path.eventId) }),
  };
}
