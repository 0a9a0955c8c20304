/** The verification could not be done; the message is one line that says why and what to do. */
export class CouldNotRun extends Error {
  override readonly name = "CouldNotRun";
}
