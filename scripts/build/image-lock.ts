import { join } from "node:path";

/** A package in `package-lock.json`, or in a manifest. */
interface Entry {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  devOptional?: boolean;
}

export interface Lock {
  lockfileVersion: number;
  packages: Record<string, Entry>;
}

type Manifest = Entry & { name: string };

/**
 * Returns the project of the image: the packed packages, and of the repository's lock file what they need. `npm ci` then installs what was
 * tested, each with its integrity.
 */
export function imageProject(lock: Lock, manifests: readonly Manifest[]) {
  const files = manifests.map((manifest) => [manifest.name, `file:${tarballOf(manifest)}`] as const);
  const root = { name: "shiftpact-image", version: "0.0.0", dependencies: Object.fromEntries(files) };
  const own = manifests.map((manifest, nth) => [
    `node_modules/${manifest.name}`,
    { ...lockedPart(manifest), resolved: files[nth]?.[1] },
  ]);
  const needed = neededBy(lock, manifests);
  const rest = [...needed].sort().map((path) => [path, withoutMarks(entryAt(lock, path))]);
  const packages = { "": root, ...Object.fromEntries([...own, ...rest]) };
  return {
    manifest: { private: true, ...root },
    lock: { ...root, lockfileVersion: lock.lockfileVersion, requires: true, packages },
  };
}

/** As `npm pack` names it. */
const tarballOf = ({ name, version }: Manifest) =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;

/** What a lock file repeats of a manifest. */
function lockedPart(manifest: Manifest): object {
  const kept = [
    "version",
    "license",
    "dependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "bin",
    "engines",
  ];
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => kept.includes(name)));
}

/** In the repository these packages are for development. */
const withoutMarks = ({ dev: _dev, devOptional: _devOptional, ...entry }: Entry) => entry;

function neededBy(lock: Lock, manifests: readonly Manifest[]): Set<string> {
  const needed = new Set<string>();
  const left: (readonly [path: string, entry: Entry])[] = manifests.map((manifest) => ["", manifest]);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, { dependencies = {}, optionalDependencies = {} }] = next;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placeOf(lock, path, name);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      left.push([found, entryAt(lock, found)]);
    }
  }
  return needed;
}

/** As Node looks for it: in the package's own folder, then in the ones around. */
function placeOf({ packages }: Lock, path: string, name: string): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = join(folder, "node_modules", name);
    if (place in packages) return place;
    if (folder === "") return undefined;
  }
}

/** @throws Error when the lock file does not have it */
function entryAt({ packages }: Lock, path: string): Entry {
  const entry = packages[path];
  if (entry === undefined) throw new Error(`package-lock.json has no ${path}`);
  return entry;
}
