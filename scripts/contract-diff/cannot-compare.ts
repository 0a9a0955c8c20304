/** The comparison failed: one line with the reason and the fix. */
export class CannotCompare extends Error {}
