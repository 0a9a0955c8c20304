import { stringify } from "yaml";
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

/** @param version of shiftpact; the job pins it, so only an edit of the job changes a build. */
export function ciJob(answers: Answers, version: string): CiJob | undefined {
  switch (answers.ci) {
    case "github":
      return githubJob(answers, version);
    case "gitlab":
      return gitlabJob(answers, version);
    case "none":
      return undefined;
    default:
      return answers.ci satisfies never;
  }
}

function githubJob(answers: Answers, version: string): CiJob {
  const { providerId, tokenVariable } = answers;
  const start = startScript(answers);
  const workflow = {
    name: "contract",
    on: "push",
    permissions: { contents: "read" },
    concurrency: { group: ONE_AT_A_TIME },
    jobs: {
      verify: {
        "runs-on": "ubuntu-latest",
        env: { PROVIDER_ID: providerId, PROVIDER_TOKEN: `\${{ secrets.${tokenVariable} }}` },
        steps: [
          { uses: "actions/checkout@v5" },
          { uses: "actions/setup-node@v5", with: { "node-version": NODE } },
          ...(start.length === 0 ? [] : [{ name: "Start the provider", run: `${start.join("\n")}\n` }]),
          { name: "Verify the provider", run: verifyCommand(answers, version) },
          { if: "always()", uses: "actions/upload-artifact@v4", with: { name: "shiftpact", path: "report" } },
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

function gitlabJob(answers: Answers, version: string): CiJob {
  const { providerId, tokenVariable } = answers;
  const job = {
    contract: {
      image: `node:${NODE}`,
      resource_group: ONE_AT_A_TIME,
      variables: {
        PROVIDER_ID: providerId,
        ...(tokenVariable !== "PROVIDER_TOKEN" && { PROVIDER_TOKEN: `$${tokenVariable}` }),
      },
      script: [...startScript(answers), verifyCommand(answers, version)],
      artifacts: { when: "always", paths: ["report"], reports: { junit: "report/junit.xml" } },
    },
  };
  return {
    path: ".gitlab-ci.yml",
    text: yamlOf(job),
    toDo: `In the project's CI/CD settings, add the masked variable ${tokenVariable}.`,
  };
}

const yamlOf = (value: unknown): string => HEADER + stringify(value, { lineWidth: 0 });

/** Starts the provider and waits up to one minute for a response of any status. */
function startScript({ start, baseUrl }: Answers): string[] {
  if (start === undefined) return [];
  return [
    `(${start}) > provider.log 2>&1 &`,
    `for second in $(seq 60); do curl --silent --output /dev/null ${shellWord(baseUrl)} && break; sleep 1; done`,
  ];
}

function verifyCommand(answers: Answers, version: string): string {
  const flags = `--fixtures fixtures.json ${cancellationFlag(answers)} --report report`;
  return `npx --yes shiftpact@${version} verify ${shellWord(answers.baseUrl)} --provider-id "$PROVIDER_ID" ${flags}`;
}

/** A run can check the cancellation only if it has a shift of its own. */
export const cancellationFlag = ({ createShift }: Answers): string =>
  createShift === undefined ? "--allow-incomplete" : `--create-shift ${shellWord(createShift)}`;
