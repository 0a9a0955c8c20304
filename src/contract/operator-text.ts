/**
 * The English text of the codes of the operations API, for operators. No other module has such text. The functions are pure.
 * A code without a text is a compile error; an unknown code of a newer platform is rendered as itself.
 */

export {
  issueCodes,
  issueText,
  issueTitle,
  URGENCIES,
  URGENCY_OF,
  type Urgency,
} from "./operator-text/issue.ts";
export {
  bookingReasonText,
  cancelledByText,
  changeReasonText,
  deliveryText,
  mailWaitText,
  outcomeText,
  warningText,
} from "./operator-text/outcome.ts";
export { agreeing, capitalised, counted, entryOf, people, subjectText } from "./operator-text/phrases.ts";
export { offerOrderText, staffingReasonText, staffingText } from "./operator-text/staffing.ts";
export {
  backlogText,
  bookingStatusText,
  eventStatusText,
  failureText,
  HEALTH_BY_GRAVITY,
  healthText,
  jobStatusText,
  notificationText,
  routingAttemptsText,
  stepText,
} from "./operator-text/status.ts";
