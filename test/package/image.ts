import { execFile } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const BASE = "localhost/node";
const IMAGE = "localhost/shiftpact";
/** The part of a distribution's Node image that the Containerfile uses. */
const PROGRAMS = ["sh", "env", "mkdir", "chown", "rm"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** An image built from the Containerfile, on a base of this machine's files: no base can be pulled here. */
export interface Image {
  /** Returns the arguments for a process in the image: not root, and only /tmp is writable. */
  command(env: Readonly<Record<string, string>>, ...argv: string[]): [command: string, args: string[]];
  /** The id of the user that its processes run as. */
  user: number;
  /** Its HEALTHCHECK. */
  healthCheck: string[];
  remove(): Promise<void>;
}

/** @param files go into the build context. @throws Error with the command that installs buildah, where it is missing */
export async function buildImage(files: readonly string[]): Promise<Image> {
  await run("buildah", ["--version"]).catch(() => {
    throw new Error("buildah is missing: apt-get install buildah");
  });
  const folder = mkdtempSync(join(tmpdir(), "shiftpact-image-"));
  const env = { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" };
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  const buildah = async (verb: string, ...args: string[]) =>
    (await run("buildah", [verb, ...store, ...args], { env, maxBuffer: 1e8 })).stdout.trim();
  const base = join(folder, "base");
  await makeBase(base);
  writeFileSync(
    join(folder, "Containerfile"),
    `FROM scratch\nCOPY . /\nENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}\n`,
  );
  await buildah("bud", "--tag", BASE, "--file", join(folder, "Containerfile"), base);
  const context = join(folder, "context");
  mkdirSync(context);
  for (const given of files) cpSync(given, join(context, basename(given)));
  const cache = (await run("npm", ["config", "get", "cache"])).stdout.trim();
  const file = [
    "--build-arg",
    `BASE=${BASE}`,
    "--volume",
    `${cache}:/root/.npm`,
    "--file",
    join(PROJECT, "Containerfile"),
  ];
  // The format of images that has health checks.
  await buildah("bud", "--format", "docker", "--tag", IMAGE, ...file, context);
  const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", IMAGE));
  const container = await buildah("from", IMAGE);
  const root = await buildah("mount", container);
  const user = userOf(root, Docker);
  return {
    command: (given, ...argv) => [
      "unshare",
      ["--mount", "sh", "-ec", ENTER, root, user.join(":"), ...variables(Docker, given), ...argv],
    ],
    user: user[0],
    healthCheck: Docker.config.Healthcheck.Test.slice(1),
    remove: async () => {
      await buildah("umount", container);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Mounts as a container engine does for `--read-only --tmpfs /tmp`. $0: the image's files, $1: the ids of its user and group. */
const ENTER = `user=$1 && shift && mount --make-rprivate / && mount --bind "$0" "$0" && mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev"
  mount -t tmpfs tmpfs "$0/tmp" && mount -o remount,ro,bind "$0"
  exec chroot --userspec="$user" "$0" /usr/bin/env -i -C /work "$@"`;

interface Inspected {
  config: { Env: string[]; User: string };
}

/** Returns the ids of the user and the group of the image's USER; root without USER, as in a container engine. */
function userOf(root: string, { config: { User } }: Inspected): [user: number, group: number] {
  const name = User.split(":")[0] || "0";
  const users = readFileSync(join(root, "etc/passwd"), "utf8").split("\n");
  const found = users.map((line) => line.split(":")).find((fields) => [fields[0], fields[2]].includes(name));
  if (!found) throw new Error(`the image has no user ${name}`);
  return [Number(found[2]), Number(found[3])];
}

const variables = ({ config }: Inspected, given: Readonly<Record<string, string>>) => [
  ...config.Env,
  ...Object.entries(given).map(([name, value]) => `${name}=${value}`),
];

/** Node, npm, a shell and a few programs, with the libraries that they need. */
async function makeBase(folder: string): Promise<void> {
  for (const name of ["usr/bin", "etc", "tmp", "proc", "dev", "usr/lib/node_modules"])
    mkdirSync(join(folder, name), { recursive: true });
  const which = await Promise.all(PROGRAMS.map(async (name) => (await run("which", [name])).stdout.trim()));
  const files = [process.execPath, ...which];
  const libraries = await Promise.all(files.map(async (file) => (await run("ldd", [file])).stdout));
  const copy = (file: string, to: string) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(realpathSync(file), join(folder, to));
  };
  for (const library of new Set(libraries.flatMap((text) => text.match(/\/[^\s:]+(?= \()/g) ?? [])))
    copy(library, library);
  for (const file of files) copy(file, join("usr/bin", basename(file)));
  symlinkSync("usr/bin", join(folder, "bin"));
  copy(CERTIFICATES, CERTIFICATES);
  const npm = dirname(dirname(realpathSync((await run("which", ["npm"])).stdout.trim())));
  cpSync(npm, join(folder, "usr/lib/node_modules/npm"), { recursive: true, dereference: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/bin/npm"));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/work:/bin/sh\n");
  writeFileSync(join(folder, "etc/group"), "root:x:0:\nnode:x:1000:\n");
}
