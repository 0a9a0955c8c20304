import { BASE_URL, call } from "./api.ts";
import { FailedCall } from "./errors.ts";

/** Saves a response of the operations API as a file. After a failed call a plain link would save the problem document. */
export async function download(path: string, name: string): Promise<void> {
  const response = await call(new Request(`${BASE_URL}${path}`));
  if (!response.ok) throw new FailedCall({ title: `The platform responded with HTTP ${response.status}` });
  saveFile(await response.blob(), name);
}

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
