/** Why there is no backup, or nothing was restored. One line. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
