import { existsSync, fsyncSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { INT8 } from "../engine.ts";
import { syncOne, syncTree } from "./folder.ts";

const START_PARAMS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  "-c",
  "fsync=on",
  "-c",
  "wal_sync_method=fsync",
  "-c",
  "shared_buffers=16MB",
];

export interface ClusterOptions extends Partial<SyncedFolderOptions> {
  startParams?: string[];
}

/** Starts the cluster in `path`, which is made when it is missing; rejects if commits do not reach the disk. */
export async function startCluster(path: string, options: ClusterOptions = {}): Promise<PGlite> {
  const { startParams = START_PARAMS, ...given } = options;
  const folder = { onBroken: endProcess, ...given };
  if (!existsSync(join(path, "PG_VERSION"))) await makeCluster(path, folder);
  const fs = new SyncedFolder(path, folder);
  const pglite = await PGlite.create({
    fs,
    startParams,
    parsers: { [INT8]: Number },
    extensions: { pg_trgm },
  });
  try {
    await checkSyncs(pglite, fs);
    await pglite.exec("set search_path to shiftpact, public");
    return pglite;
  } catch (error) {
    await pglite.close();
    throw error;
  }
}

/** Made under another name: a process that is killed meanwhile must not leave half a cluster behind. */
async function makeCluster(path: string, folder: SyncedFolderOptions): Promise<void> {
  const draft = `${path}.new`;
  rmSync(draft, { recursive: true, force: true });
  const pglite = await PGlite.create({ fs: new SyncedFolder(draft, folder) });
  await pglite.close();
  syncTree(draft);
  renameSync(draft, path);
  syncOne(dirname(path));
}

function endProcess(reason: string): never {
  process.stderr.write(`the embedded database stopped: ${reason}\n`);
  return process.exit(1);
}

async function checkSyncs(pglite: PGlite, fs: SyncedFolder): Promise<void> {
  const before = fs.syncs;
  await pglite.query("select pg_logical_emit_message(true, 'shiftpact', 'does a commit reach the disk')");
  if (fs.syncs === before) {
    throw new Error(
      "the embedded database does not sync its commits to disk: this PGlite version is not usable",
    );
  }
}

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
class SyncedFolder extends NodeFS {
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
