import { schemas } from "../../generated/platform/validators.js";

/** Returns one printable line for each input that a problem document names: where it is, and what is wrong there. */
export function inputErrorsOf(body: unknown): string[] {
  if (!schemas.Problem(body)) return [];
  return (body.errors ?? []).map(({ pointer, message }) =>
    `${pointer} ${message}`.replaceAll(/\p{Cc}/gu, " "),
  );
}
