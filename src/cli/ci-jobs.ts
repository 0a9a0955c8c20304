import { stringify } from "yaml";
import { installedCommand, installScript } from "./ci-source.ts";
import type { Answers } from "./init-answers.ts";
import { shellWord } from "./shell-word.ts";

/** A file of a CI system that runs `shiftpact verify` on every push. */
export interface CiJob {
  path: string;
  text: string;
  /** The remaining step in the CI system. */
  toDo: string;
}

const HEADER =
  "# Verifies the provider against the contract on every push. Written by shiftpact init; edit it freely.\n";
/** Two runs on one provider at the same time would change the same shift. */
const ONE_AT_A_TIME = "contract";
const NODE = 24;
/** GitHub's own actions, each by a commit. */
const ACTIONS = {
  checkout: "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8", // v5.0.0
  setupNode: "actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444", // v5.0.0
  uploadArtifact: "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02", // v4.6.2
};

export function ciJob(answers: Answers): CiJob | undefined {
  const { ci, source } = answers;
  if (ci === "none" || source === undefined) return undefined;
  const script = {
    install: [...(ci === "gitlab" ? runtimeScript(answers) : []), ...installScript(source)],
    start: startScript(answers),
    verify: verifyCommand(answers, installedCommand(source)),
  };
  switch (ci) {
    case "github":
      return githubJob(answers, script);
    case "gitlab":
      return gitlabJob(answers, script);
    default:
      return ci satisfies never;
  }
}

interface Script {
  install: readonly string[];
  start: readonly string[];
  verify: string;
}

/** Only the steps that need the token have it. */
function githubJob({ providerId, tokenVariable }: Answers, { install, start, verify }: Script): CiJob {
  const env = { PROVIDER_TOKEN: `\${{ secrets.${tokenVariable} }}` };
  const workflow = {
    name: "contract",
    on: "push",
    permissions: { contents: "read" },
    concurrency: { group: ONE_AT_A_TIME },
    jobs: {
      verify: {
        "runs-on": "ubuntu-latest",
        env: { PROVIDER_ID: providerId },
        steps: [
          { uses: ACTIONS.checkout },
          { uses: ACTIONS.setupNode, with: { "node-version": NODE } },
          { name: "Install shiftpact", run: lines(install) },
          ...(start.length === 0 ? [] : [{ name: "Start the provider", env, run: lines(start) }]),
          { name: "Verify the provider", env, run: verify },
          {
            if: "always()",
            uses: ACTIONS.uploadArtifact,
            with: { name: "shiftpact", path: kept(start).join("\n") },
          },
        ],
      },
    },
  };
  return {
    path: ".github/workflows/shiftpact.yml",
    text: yamlOf(workflow),
    toDo: `In the repository's settings, add the secret ${tokenVariable} for Actions.`,
  };
}

function gitlabJob({ providerId, tokenVariable }: Answers, { install, start, verify }: Script): CiJob {
  const job = {
    contract: {
      image: `node:${NODE}`,
      resource_group: ONE_AT_A_TIME,
      variables: {
        PROVIDER_ID: providerId,
        ...(tokenVariable !== "PROVIDER_TOKEN" && { PROVIDER_TOKEN: `$${tokenVariable}` }),
      },
      script: [...install, ...start, verify],
      artifacts: { when: "always", paths: kept(start), reports: { junit: "report/junit.xml" } },
    },
  };
  return {
    path: ".gitlab-ci.yml",
    text: yamlOf(job),
    toDo: `In the project's CI/CD settings, add the masked variable ${tokenVariable}.`,
  };
}

const lines = (script: readonly string[]): string => `${script.join("\n")}\n`;

const yamlOf = (value: unknown): string => HEADER + stringify(value, { lineWidth: 0 });

/** GitLab's image has Node and Python; GitHub's machines have PHP as well. */
function runtimeScript({ start = "" }: Answers): string[] {
  if (!/(^|\s)php\s/.test(start)) return [];
  return ["command -v php || (apt-get update && apt-get install --yes --no-install-recommends php-cli)"];
}

const LOG = "provider.log";

/** The log says why a provider did not start. */
const kept = (start: readonly string[]): string[] => ["report", ...(start.length === 0 ? [] : [LOG])];

/** Starts the provider and waits up to one minute for a response of any status. */
function startScript({ start, baseUrl }: Answers): string[] {
  if (start === undefined) return [];
  return [
    `(${start}) > ${LOG} 2>&1 &`,
    `for second in $(seq 60); do curl --silent --output /dev/null ${shellWord(baseUrl)} && break; sleep 1; done`,
  ];
}

function verifyCommand(answers: Answers, shiftpact: string): string {
  const flags = `--fixtures fixtures.json ${preparationFlag(answers)} --report report`;
  return `${shiftpact} verify ${shellWord(answers.baseUrl)} --provider-id "$PROVIDER_ID" ${flags}`;
}

/** A run can check the cancellation only if it has a shift of its own. */
export function preparationFlag({ createShift, statesUrl }: Answers): string {
  if (statesUrl !== undefined) return `--states-url ${shellWord(statesUrl)}`;
  return createShift === undefined ? "--allow-incomplete" : `--create-shift ${shellWord(createShift)}`;
}
