import { accessFaults } from "./access.ts";
import { answerFaults } from "./answers.ts";
import { assignmentFaults } from "./assignments.ts";
import { candidateFaults } from "./candidates.ts";
import type { Faults } from "./fault.ts";
import { inputFaults } from "./input.ts";
import { networkFaults } from "./network.ts";
import { refusalFaults } from "./refusals.ts";
import { shiftResponseFaults } from "./shift-responses.ts";
import { shiftFaults } from "./shifts.ts";
import { webhookFaults } from "./webhooks.ts";

/** Every fault by name. A new entry in a topic's file is included in the command line and the tests. */
export const faults = {
  ...networkFaults,
  ...accessFaults,
  ...inputFaults,
  ...answerFaults,
  ...refusalFaults,
  ...shiftResponseFaults,
  ...shiftFaults,
  ...assignmentFaults,
  ...candidateFaults,
  ...webhookFaults,
} as const satisfies Faults;

/** Faults by topic, for printed lists. */
export const faultTopics: Readonly<Record<string, Faults>> = {
  "server and network": networkFaults,
  "tokens and organisations": accessFaults,
  "invalid input": inputFaults,
  "status, Content-Type and form of responses": answerFaults,
  "bodies of refusals": refusalFaults,
  "content of shifts and acknowledgements": shiftResponseFaults,
  "effects on shifts": shiftFaults,
  "effects of assignments": assignmentFaults,
  "candidates and their registry": candidateFaults,
  webhooks: webhookFaults,
};
