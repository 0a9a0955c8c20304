import type { Request } from "express";
import type { Message } from "../../generated/events/types.ts";
import type { Organisation } from "./organisation.ts";
import type { Forms } from "./shift-body.ts";

/** The environment that handlers and the provider's staff share. */
export interface Context {
  forms: Forms;
  /** Milliseconds since 1970. */
  now: () => number;
  newId: () => string;
  /** Sends the webhook for a change that a call of the platform caused, after the response to that call. */
  echo: (event: Message["event"], shiftId: string, organisation: Organisation, request: Request) => void;
}
