import { execFileSync } from "node:child_process";
import { CannotPublish } from "./cannot-publish.ts";

export interface Broker {
  url: URL;
  /** The environment of the command-line tool: arguments would be visible in the list of processes. */
  variables: Readonly<Record<string, string>>;
  /** Never printed. */
  secret: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws CannotPublish, naming the variable that is missing or wrong */
export function readBroker(env: Environment): Broker {
  const address = env.PACT_BROKER_BASE_URL;
  if (!address) throw new CannotPublish("PACT_BROKER_BASE_URL is not set: give the URL of the Pact Broker");
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new CannotPublish(
      "PACT_BROKER_BASE_URL is not an http URL: write it as https://broker.example, without a name or password",
    );
  }
  const { PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password } = env;
  const variables = { PACT_BROKER_BASE_URL: address };
  if (token) return { url, variables: { ...variables, PACT_BROKER_TOKEN: token }, secret: token };
  if (!name || !password) {
    throw new CannotPublish("Set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD");
  }
  const both = { PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password };
  return { url, variables: { ...variables, ...both }, secret: password };
}

export interface Release {
  version: string;
  branch: string;
}

/**
 * Returns the commit and branch of the contracts, unless they are given.
 * @throws CannotPublish where git does not know them, or the contracts differ from the commit
 */
export function readRelease(folder: string, given: { version?: string; branch?: string }): Release {
  const branch = given.branch ?? git(folder, "--branch", ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  if (given.version !== undefined) return { version: given.version, branch };
  const version = git(folder, "--version", ["rev-parse", "--verify", "HEAD"]);
  if (git(folder, "--version", ["status", "--porcelain", "--", "."]) === "") return { version, branch };
  throw new CannotPublish(`${folder} has uncommitted changes: commit them, or give --version`);
}

function git(cwd: string, instead: string, args: readonly string[]): string {
  try {
    return execFileSync("git", [...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    throw new CannotPublish(`git ${args.join(" ")} has no answer here: give ${instead}`);
  }
}
