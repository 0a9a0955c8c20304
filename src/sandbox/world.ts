import type { Request } from "express";
import type { Message } from "../../generated/events/types.ts";
import type { Forms } from "./forms.ts";
import type { Organisation } from "./organisation.ts";

/** What the handlers and the people at the provider act in. */
export interface World {
  forms: Forms;
  /** Milliseconds since 1970. */
  now: () => number;
  newId: () => string;
  /** Sends the webhook of a change that a call of the platform caused, once that call is answered. */
  echo: (event: Message["event"], shiftId: string, organisation: Organisation, request: Request) => void;
}
