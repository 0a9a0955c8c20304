import { accessFaults } from "./access.ts";
import { answerFaults } from "./answers.ts";
import { assignmentFaults } from "./assignments.ts";
import { candidateFaults } from "./candidates.ts";
import type { Faults } from "./fault.ts";
import { networkFaults } from "./network.ts";
import { shiftFaults } from "./shifts.ts";
import { webhookFaults } from "./webhooks.ts";

/** Every fault by name. A new entry in a topic's file is included in the command line and the tests. */
export const faults = {
  ...networkFaults,
  ...accessFaults,
  ...answerFaults,
  ...shiftFaults,
  ...assignmentFaults,
  ...candidateFaults,
  ...webhookFaults,
} as const satisfies Faults;

/** Faults by topic, for printed lists. */
export const faultTopics: Readonly<Record<string, Faults>> = {
  "server and network": networkFaults,
  tokens: accessFaults,
  "status, Content-Type and form of responses": answerFaults,
  shifts: shiftFaults,
  assignments: assignmentFaults,
  candidates: candidateFaults,
  webhooks: webhookFaults,
};
