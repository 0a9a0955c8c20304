import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

const TMPFS = 0x01021994;

export const isInMemory = async (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => type === TMPFS,
    () => false,
  );

/** Returns a folder on disk: in memory a sync costs nothing, which would falsify figures of durable storage. */
export async function placeOnDisk(): Promise<string> {
  const usual = tmpdir();
  return (await isInMemory(usual)) && !(await isInMemory("/var/tmp")) ? "/var/tmp" : usual;
}
