import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "../../test/harness/embedded-postgres.ts";

/**
 * A separate file system in a file. Written data that is not synced is only in the kernel's memory, so a copy of the file is the disk
 * after a power cut.
 */
export interface Disk {
  folder: string;
  /**
   * Mounts the disk as a power cut at this moment leaves it. The processes are stopped meanwhile, because a copy takes longer than a
   * power cut.
   */
  cut(pids: readonly number[]): Promise<Disk>;
  /** Flushes all writes. */
  sync(): void;
  /** Uses up the free space. Returns a function that releases it. */
  fill(): () => void;
  remove(): void;
}

const MEGABYTES = 640;
// The kernel's own writes come no sooner, so nothing changes during a copy.
const COMMIT_SECONDS = 300;
/** Written and never synced. */
const UNSYNCED = "unsynced";

/** Returns why no disk can be created here; undefined when one can. */
export function whyNoDisk(folder: string): string | undefined {
  try {
    makeDisk(folder).remove();
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
    return `no file system can be mounted here (Linux, root, mkfs.ext4 and a loop device are needed): ${text}`;
  }
}

/** Creates a disk below `folder`. */
export function makeDisk(folder: string): Disk {
  const image = join(folder, `disk-${process.hrtime.bigint()}`);
  run("truncate", ["-s", `${MEGABYTES}M`, image]);
  run("mkfs.ext4", ["-q", "-F", image]);
  return mount(image);
}

let copies = 0;

function mount(image: string): Disk {
  const folder = `${image}.mounted`;
  mkdirSync(folder);
  try {
    run("mount", ["-o", `loop,commit=${COMMIT_SECONDS}`, image, folder]);
  } catch (error) {
    for (const path of [folder, image]) rmSync(path, { recursive: true, force: true });
    throw error;
  }
  return {
    folder,
    cut: async (pids) => {
      const copy = `${image}-${++copies}`;
      // A new file each time: ext4 flushes a file that is truncated and rewritten.
      const unsynced = `${UNSYNCED}-${copies}`;
      writeFileSync(join(folder, unsynced), "in memory only");
      for (const pid of pids) sendSignal(pid, "SIGSTOP");
      try {
        await standStill(pids, folder);
        run("cp", ["--sparse=always", image, copy]);
      } finally {
        for (const pid of pids) sendSignal(pid, "SIGCONT");
      }
      const left = mount(copy);
      if (isWritten(join(left.folder, unsynced))) {
        left.remove();
        // Such a copy would prove nothing.
        throw new Error("the copy of the disk holds what was never synced");
      }
      return left;
    },
    sync: () => run("sync", ["-f", folder]),
    fill: () => fill(folder),
    remove: () => {
      // Lazily: a thread that is about to end may still have a file open.
      run("umount", ["-l", folder]);
      for (const path of [folder, image]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function fill(folder: string): () => void {
  const filler = join(folder, "filler");
  // Ends with the expected error, whatever the file system reserves.
  spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"], { stdio: "ignore" });
  return () => rmSync(filler, { force: true });
}

/** Resolves when every thread has stopped and the disk has no pending writes. */
async function standStill(pids: readonly number[], folder: string): Promise<void> {
  const device = run("findmnt", ["-n", "-o", "SOURCE", folder]).trim();
  const inFlight = `/sys/block/${basename(device)}/inflight`;
  while (!pids.every(isStopped) || /[1-9]/.test(readFileSync(inFlight, "utf8"))) await sleep(1);
}

function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      return "TtZX".includes(stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "");
    });
  } catch {
    // The process or one of its threads has ended: the next look decides.
    return !existsSync(`/proc/${pid}`);
  }
}

const isWritten = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

const run = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
