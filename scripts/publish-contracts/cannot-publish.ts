/** Nothing was sent: one line that says why and what to do. */
export class CannotPublish extends Error {}
