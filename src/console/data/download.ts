import { BASE_URL, callWithToken } from "./api.ts";
import { FailedCall } from "./errors.ts";

/** Saves a response of the operations API as a file. A plain link would carry no token. */
export async function download(path: string, name: string): Promise<void> {
  const response = await callWithToken(new Request(`${BASE_URL}${path}`));
  if (!response.ok) throw new FailedCall({ title: `The platform responded with HTTP ${response.status}` });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
