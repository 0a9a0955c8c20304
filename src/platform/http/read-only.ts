import type { RequestHandler } from "express";
import { problem } from "../../contract/problem.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Seconds. */
const RETRY_AFTER = "30";

/** Their responses are recorded in the audit log first. */
const EXPORT = /^\/operations\/v1\/(?:.+\/)?(?:backup|export)$/;

/** Refuses whatever may write, webhooks included: a provider sends them again. */
export const refuseWrites: RequestHandler = (request, _response, next) => {
  if (READS.has(request.method) && !EXPORT.test(request.path)) return next();
  const detail =
    "The platform is being moved to another database, and serves only reads that are not recorded. Try again later.";
  next(problem("store_unavailable", { detail }, { "Retry-After": RETRY_AFTER }));
};
