import { empty, type Faults, json, problemAnswer } from "./fault.ts";

const OVERSIZED = 10_000_000;
/** The kit repeats its reads often enough to detect a fault in every fifth call. */
const NOW_AND_THEN = 5;

/** Failures of the server or the network, regardless of the request. */
export const networkFaults = {
  unavailable: {
    summary: "503 with Retry-After",
    instead: ({ settings }) => problemAnswer("overloaded", { "Retry-After": settings.retryAfter ?? "1" }),
  },
  "error-500": { summary: "500", instead: () => problemAnswer("internal_error") },
  "rate-limited": {
    summary: "429 with Retry-After",
    instead: ({ settings }) => problemAnswer("rate_limited", { "Retry-After": settings.retryAfter ?? "1" }),
  },
  slow: { summary: "no response until the caller gives up", instead: () => "hang" },
  reset: { summary: "the connection is closed without a response", instead: () => "reset" },
  "answer-lost": {
    summary: "the call takes effect, and the connection is closed before the response",
    rewrite: () => "reset",
  },
  "gateway-not-found": {
    summary: "404 with a web page to every call, as from a gateway without a route",
    instead: () => ({
      status: 404,
      headers: { "Content-Type": "text/html" },
      body: "<h1>404 Not Found</h1><hr>nginx",
    }),
  },
  oversized: {
    summary: "200 with 10 MB",
    rewrite: () => json(200, { filler: "x".repeat(OVERSIZED) }),
  },
  redirect: {
    summary: "302 to another host",
    instead: () => ({ ...empty(302), headers: { Location: "https://elsewhere.example/" } }),
  },
  "error-now-and-then": {
    summary: "500 to every fifth call of an operation",
    every: NOW_AND_THEN,
    instead: () => problemAnswer("internal_error"),
  },
  "reset-now-and-then": {
    summary: "every fifth connection is closed without a response",
    every: NOW_AND_THEN,
    instead: () => "reset",
  },
} as const satisfies Faults;
