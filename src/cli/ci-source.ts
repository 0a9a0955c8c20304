import { shellWord } from "./shell-word.ts";
import { UsageError } from "./usage.ts";

/** Where a CI job gets shiftpact from: a source that cannot change after the job was written. */
export type CiSource =
  | { kind: "commit"; repository: string; commit: string }
  | { kind: "tarball"; location: string; sha512: string };

export const SOURCE_FORMS = "git+https://HOST/REPOSITORY.git#COMMIT or TARBALL#sha512-...";

/** The job's folder for shiftpact, in the workspace: other users of the machine cannot write there. */
const FOLDER = ".shiftpact";

/**
 * Returns the source. A package name is refused: the names of shiftpact are not registered, and anyone may register them.
 * @throws UsageError for a source that can change, or that holds a secret
 */
export function ciSourceOf(text: string): CiSource {
  if (/^\w[\w+.-]*:\/\/[^/@:]*:[^/@]*@/.test(text)) {
    throw new UsageError("--source must not hold a password or token: the job is committed");
  }
  const [, repository, commit] =
    /^git\+((?:https|ssh|file):\/\/\S+)#([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text) ?? [];
  if (repository !== undefined && commit !== undefined) return { kind: "commit", repository, commit };
  const [, location, digest] =
    /^((?:https:\/\/\S+|[\w./][^\s:]*)\.tgz)#sha512-([\w+/]{86}==)$/.exec(text) ?? [];
  if (location !== undefined && digest !== undefined) {
    return { kind: "tarball", location, sha512: Buffer.from(digest, "base64").toString("hex") };
  }
  throw new UsageError(
    `--source must be ${SOURCE_FORMS}, with the whole commit or the integrity that npm pack --json prints`,
  );
}

/** Returns the commands that install shiftpact. None runs a script of a package. */
export function installScript(source: CiSource): string[] {
  switch (source.kind) {
    case "commit":
      return [
        `git init --quiet ${FOLDER}`,
        `git -C ${FOLDER} fetch --quiet --depth 1 ${shellWord(source.repository)} ${source.commit}`,
        `git -C ${FOLDER} checkout --quiet ${source.commit}`,
        `npm ci --prefix ${FOLDER} --ignore-scripts --no-audit --no-fund`,
      ];
    case "tarball":
      return tarballScript(source.location, source.sha512);
    default:
      return source satisfies never;
  }
}

function tarballScript(location: string, sha512: string): string[] {
  const file = `${FOLDER}/shiftpact.tgz`;
  const fetched = location.startsWith("https://")
    ? `curl --fail --silent --show-error --location --output ${file} ${shellWord(location)}`
    : `cp ${shellWord(location)} ${file}`;
  return [
    `mkdir -p ${FOLDER}`,
    fetched,
    `echo "${sha512}  ${file}" | sha512sum --check --quiet`,
    `npm install --prefix ${FOLDER} --ignore-scripts --no-audit --no-fund ./${file}`,
  ];
}

/** Returns the command that installScript installs. */
export const installedCommand = ({ kind }: CiSource): string =>
  kind === "commit" ? `node ${FOLDER}/src/cli/in-checkout.mjs` : `${FOLDER}/node_modules/.bin/shiftpact`;
