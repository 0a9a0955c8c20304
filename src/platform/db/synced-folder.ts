import { fsyncSync } from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";

type InitOptions = Parameters<NodeFS["init"]>[1];
type Initialised = ReturnType<NodeFS["init"]>;

/** The part of Emscripten's Node file system that lacks fsync. */
interface NodeFsInternals {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number } };
}

export interface SyncedFolderOptions {
  /**
   * Called when a sync failed, or PostgreSQL ended itself (PANIC, for example when the disk is full). It must not return: PGlite
   * drops such an error and would go on to report the commit as done.
   */
  onBroken: (reason: string) => never;
  fsync?: (fd: number) => void;
}

/**
 * PGlite's folder on disk, with the fsync that its file system does not have: without it a power cut loses all
 * that the kernel had not yet written. This hooks an internal of PGlite, so `syncs` counts, and the start checks it.
 */
export class SyncedFolder extends NodeFS {
  syncs = 0;
  readonly #options: SyncedFolderOptions;

  constructor(path: string, options: SyncedFolderOptions) {
    super(path);
    this.#options = options;
  }

  override async init(pg: Parameters<NodeFS["init"]>[0], options: InitOptions): Initialised {
    const { emscriptenOpts } = await super.init(pg, options);
    const addFsync = (module: unknown) => {
      const { NODEFS } = module as NodeFsInternals;
      NODEFS.stream_ops.fsync = (stream) => this.#sync(stream.nfd);
    };
    const onAbort = (reason: unknown) =>
      this.#options.onBroken(`PostgreSQL ended itself ${reason || ""}`.trim());
    return {
      emscriptenOpts: { ...emscriptenOpts, onAbort, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] },
    };
  }

  #sync(fd: number | undefined): number {
    const { onBroken, fsync = fsyncSync } = this.#options;
    try {
      if (fd !== undefined) fsync(fd);
    } catch (error) {
      // A second try would succeed, and the pages that were not written would still be lost.
      onBroken(`a sync to disk failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.syncs += 1;
    return 0;
  }
}
