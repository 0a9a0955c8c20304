import { isUnproven, orMissingRoute, UNCONFIRMED } from "../../src/platform/work/witness.ts";
import { carryOut, type Effects, type Request, type Response } from "./operations.ts";
import type { ProviderRecords } from "./provider.ts";
import type { CallFault, Operation, WindowKind } from "./schedule.ts";
import type { Timeline } from "./timeline.ts";

interface Parts {
  timeline: Timeline;
  records: ProviderRecords;
  effects: Effects;
  now: () => number;
  random: () => number;
  log: (line: () => string) => void;
}

const REFUSED_404 = { kind: "refused", status: 404, code: undefined } as const;
const ABSENT = { kind: "absent", final: false, code: undefined } as const;

/** The result of each operation at a gateway without its route, as the platform's client reads the 404. */
const GATEWAY: Record<Operation, Response> = {
  read: ABSENT,
  cancel: ABSENT,
  change: ABSENT,
  assign: REFUSED_404,
  create: REFUSED_404,
  outlets: REFUSED_404,
  look_up: { kind: "found", ids: [], unproven: true } as Response,
  unassign: { kind: "done", unproven: true } as Response,
};

/** Not doubted here: the plan itself checks a reading with the list of outlets. */
const NEVER_DOUBTED: readonly Operation[] = ["read", "outlets"];
const UNWITNESSED: readonly Operation[] = ["create", "unassign", "cancel"];
/** A 404 without a code may be about the route. */
const OF_ROUTES: readonly Operation[] = ["create", "assign", "unassign", "cancel"];

const down = (extra: object = {}): Response =>
  ({ kind: "unavailable", failure: "http_error", reason: "status 503", status: 503, ...extra }) as Response;
const cut = (failure: "timeout" | "connection_failed"): Response => ({
  kind: "unavailable",
  failure,
  reason: "the connection was cut",
});

/** The network between the platform and the provider, with the faults of both. */
export class Network {
  readonly #parts: Parts;
  #windows: (WindowKind & { until: number })[] = [];
  #faults: { operation: Operation | "any"; fault: CallFault }[] = [];
  /** The time of the latest state that was read of each shift: a single replica never goes back in time. */
  readonly #readAt = new Map<string, number>();
  /** Operations that got a gateway's 404 while others passed. */
  readonly lackingRoutes = new Set<Operation>();
  /** Whether a gateway responded to a lookup. */
  hasHiddenPeople = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  open(window: WindowKind, forMs: number) {
    this.#windows.push({ ...window, until: this.#parts.now() + forMs });
  }

  queueFaults(operation: Operation | "any", faults: readonly CallFault[]) {
    this.#faults.push(...faults.map((fault) => ({ operation, fault })));
  }

  endFaults() {
    this.#windows = [];
    this.#faults = [];
  }

  /** Sends a request. As in the platform, a second call checks a 404 that may be a gateway's, and a call that changes something is then repeated; some results come from the shift instead. */
  ask(request: Request, onDone: (response: Response) => void) {
    const operation = operationOf(request);
    const hasRoute = OF_ROUTES.includes(operation);
    const done = (response: Response) => onDone(hasRoute ? orMissingRoute(response) : response);
    this.send(request, (response) => {
      if (NEVER_DOUBTED.includes(operation) || !isUnproven(response)) return done(response);
      if (UNWITNESSED.includes(operation)) return done(response);
      this.send({ do: "outlets" }, ({ kind }) => {
        if (kind !== "list") done(UNCONFIRMED);
        else if (operation === "look_up") done(response);
        else this.send(request, done);
      });
    });
  }

  /** Sends a request; `done` is called with the response, or with the client's result for a lost one. */
  send(request: Request, done: (response: Response) => void) {
    const { timeline, now, random, log } = this.#parts;
    const operation = operationOf(request);
    const sentAt = now();
    const finish = (afterMs: number, response: Response) =>
      timeline.add(sentAt + afterMs, () => {
        log(() => `provider  ${textOf(request)}: ${describe(response)}`);
        done(response);
      });
    const blocked = this.#blocked(operation);
    if (blocked) return finish(30, blocked);
    const fault = this.#nextFault(operation);
    if (fault && (fault.kind !== "refused" || request.do === "call"))
      return this.#applyFault(request, fault, finish);
    const durationMs = 20 + Math.floor(random() * 100);
    timeline.add(sentAt + Math.floor(durationMs / 2), () => {
      const response = this.#carryOut(request);
      finish(durationMs, response);
    });
  }

  #blocked(operation: Operation): Response | undefined {
    for (const window of this.#windows) {
      if (window.until <= this.#parts.now()) continue;
      if (window.kind === "token") return { kind: "refused", status: window.status, code: undefined };
      if (window.kind === "down") return down();
      if (window.kind === "gateway" && (window.operation === "all" || window.operation === operation)) {
        if (window.operation !== "all") this.lackingRoutes.add(operation);
        if (operation === "look_up") this.hasHiddenPeople = true;
        return GATEWAY[operation];
      }
    }
    return undefined;
  }

  #nextFault(operation: Operation): CallFault | undefined {
    const index = this.#faults.findIndex((each) => each.operation === "any" || each.operation === operation);
    return index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
  }

  #applyFault(request: Request, fault: CallFault, finish: (afterMs: number, response: Response) => void) {
    const { timeline, now, log } = this.#parts;
    const takeEffect = (afterMs: number) =>
      timeline.add(now() + afterMs, () => {
        const response = this.#carryOut(request);
        log(() => `provider  (unheard) ${textOf(request)}: ${describe(response)}`);
      });
    if (fault.kind === "lost_after" || fault.kind === "error_after") takeEffect(25);
    if (fault.kind === "late") takeEffect(fault.cutAfterMs + fault.effectAfterMs);
    switch (fault.kind) {
      case "lost_before":
      case "lost_after":
        return finish(50, cut("connection_failed"));
      case "error_before":
      case "error_after":
        return finish(50, down());
      case "not_asked":
        return finish(0, { ...cut("connection_failed"), notAsked: true, retryAfterMs: 5_000 } as Response);
      case "refused":
        return finish(50, { kind: "refused", status: 409, code: undefined });
      case "rate_limited":
        return finish(50, down({ status: 429, reason: "status 429", retryAfterMs: fault.retryAfterMs }));
      case "late":
        return finish(fault.cutAfterMs, cut("timeout"));
    }
  }

  #carryOut(request: Request): Response {
    const { records, effects, now } = this.#parts;
    if (request.do !== "read") return carryOut(records, request, { now: now(), readAt: now() }, effects);
    const readAt = this.#readTime(request.shiftId);
    this.#readAt.set(request.shiftId, readAt);
    return carryOut(records, request, { now: now(), readAt }, effects);
  }

  #readTime(shiftId: string): number {
    const { now, random } = this.#parts;
    const open = this.#windows.filter(({ until }) => until > now());
    const lags = open.flatMap((window) => (window.kind === "lag" ? [window] : []));
    const hasTwo = lags.some(({ replicas }) => replicas === 2);
    const isFresh = hasTwo && random() < 0.5;
    const readAt = isFresh ? now() : now() - Math.max(0, ...lags.map(({ lagMs }) => lagMs));
    return hasTwo ? readAt : Math.max(this.#readAt.get(shiftId) ?? 0, readAt);
  }
}

const operationOf = (request: Request): Operation => (request.do === "call" ? request.call.do : request.do);

function textOf(request: Request): string {
  switch (request.do) {
    case "outlets":
      return "GET /outlets";
    case "read":
      return `GET /shifts/${request.shiftId}`;
    case "look_up":
      return `GET /candidates?personalNumber=(${request.candidateId})`;
    case "create":
      return `POST /candidates (${request.candidateId}, key ${request.key})`;
    case "call": {
      const { call, shiftId } = request;
      if (call.do === "cancel") return `DELETE /shifts/${shiftId}`;
      if (call.do === "change") {
        const { startTime, endTime, positions } = call.values;
        return `PUT /shifts/${shiftId} ${startTime.slice(5, 16)}..${endTime.slice(5, 16)}, ${positions} positions`;
      }
      return `${call.do} ${call.providerCandidateId} on ${shiftId}${call.isRetry ? " again" : ""}`;
    }
  }
}

function describe(response: Response): string {
  switch (response.kind) {
    case "shift": {
      const { startTime, endTime, positions, assigned, outletId, roleId, cancelled } = response.shift;
      const list = assigned.map(({ providerCandidateId }) => providerCandidateId).join(" ");
      const times = `${startTime.slice(5, 16)}..${endTime.slice(5, 16)}`;
      return `${cancelled ? "cancelled, " : ""}${times} ${outletId} ${roleId}, ${positions} positions, assigned: ${list || "none"}`;
    }
    case "absent":
      return `${response.final ? 410 : 404} ${response.code ?? "without code"}`;
    case "refused":
      return `${response.status} ${response.code ?? "without code"}`;
    case "unavailable":
      return response.notAsked ? "not asked" : response.reason;
    case "found":
      return `found ${response.ids.join(" ") || "no one"}`;
    case "created":
      return `created ${response.id}`;
    default:
      return response.kind;
  }
}
