/** The comparison could not be made: one line that says why and what to do. */
export class CannotCompare extends Error {}
