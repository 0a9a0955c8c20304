import { accessFaults } from "./access.ts";
import { answerFaults } from "./answers.ts";
import { candidateFaults } from "./candidates.ts";
import type { Faults } from "./fault.ts";
import { inputFaults } from "./input.ts";
import { networkFaults } from "./network.ts";
import { refusalFaults } from "./refusals.ts";
import { shiftFaults } from "./shifts.ts";
import { toldShiftFaults } from "./told-shifts.ts";
import { webhookFaults } from "./webhooks.ts";

/** Every fault by its name. To add one, add an entry to its topic's file: the command line and the tests find it. */
export const faults = {
  ...networkFaults,
  ...accessFaults,
  ...inputFaults,
  ...answerFaults,
  ...refusalFaults,
  ...toldShiftFaults,
  ...shiftFaults,
  ...candidateFaults,
  ...webhookFaults,
} as const satisfies Faults;

/** Faults by what is wrong, for lists that people read. */
export const faultTopics: Readonly<Record<string, Faults>> = {
  "server and network": networkFaults,
  "tokens and organisations": accessFaults,
  "wrong input": inputFaults,
  "status, label and form of answers": answerFaults,
  "what refusals say": refusalFaults,
  "how shifts and acknowledgements are told": toldShiftFaults,
  "what becomes of shifts": shiftFaults,
  "candidates and their registry": candidateFaults,
  webhooks: webhookFaults,
};
