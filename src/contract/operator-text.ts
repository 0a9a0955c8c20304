/**
 * The English text of the codes of the operations API, for operators. No other module has such text. The functions are pure.
 * A code without a text is a compile error; an unknown code of a newer platform is rendered as itself.
 */
export { backlogText } from "./operator-text/backlog.ts";
export { failureText } from "./operator-text/failure.ts";
export { HEALTH_BY_GRAVITY, healthText } from "./operator-text/health.ts";
export { issueCodes, issueText, issueTitle } from "./operator-text/issue.ts";
export { outcomeText } from "./operator-text/outcome.ts";
export { agreeing, capitalised, counted, entryOf, people } from "./operator-text/phrases.ts";
export {
  bookingReasonText,
  cancelledByText,
  changeReasonText,
  deliveryText,
  mailWaitText,
  warningText,
} from "./operator-text/reasons.ts";
export { routingAttemptsText } from "./operator-text/routing.ts";
export { offerOrderText, staffingReasonText, staffingText } from "./operator-text/staffing.ts";
export {
  bookingStatusText,
  eventStatusText,
  jobStatusText,
  notificationText,
  stepText,
} from "./operator-text/status.ts";
export { subjectText } from "./operator-text/subject.ts";
