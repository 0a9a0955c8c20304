/** The verification was not possible. The message is one line with the reason and what to do. */
export class CouldNotRun extends Error {
  override readonly name = "CouldNotRun";
}
