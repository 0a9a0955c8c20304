/** Nothing was sent: one line with the reason and the fix. */
export class CannotPublish extends Error {}
