import { isUnproven, orMissingRoute, UNCONFIRMED } from "../../src/platform/work/witness.ts";
import type { Observations } from "./observations.ts";
import { carryOut, type Effects, type Request, type Response } from "./operations.ts";
import type { ProviderRecords } from "./provider.ts";
import { type Draw, Slots } from "./random.ts";
import type { CallFault, Operation, WindowKind } from "./schedules.ts";
import type { Timeline } from "./timeline.ts";

interface Parts {
  timeline: Timeline;
  records: ProviderRecords;
  effects: Effects;
  now: () => number;
  draw: Draw;
  log: (line: () => string) => void;
}

type Lagging = Extract<WindowKind, { kind: "lag" }> & { middle: number };

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
  #windows: (WindowKind & { until: number; middle: number })[] = [];
  /** Since the start: when replicas lagged, and by how much at most. */
  readonly lags: { from: number; until: number; lagMs: number; replicas: number }[] = [];
  readonly #faults = new Slots<{ operation: Operation | "any"; fault: CallFault }>();
  /** The time of the latest state that was read of each shift: a single replica never goes back in time. */
  readonly #readAt = new Map<string, number>();
  /** Operations that got a gateway's 404 while others passed. */
  readonly lackingRoutes = new Set<Operation>();
  /** The calls that change something, as text. */
  readonly changes: string[] = [];
  observations: Observations | undefined;
  /** Whether a gateway responded to a lookup. */
  hasHiddenPeople = false;
  /** When GET has last shown no people. */
  emptyAt: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  open(window: WindowKind, forMs: number) {
    const from = this.#parts.now();
    const middle = this.#parts.draw("lag", "middle");
    this.#windows.push({ ...window, until: from + forMs, middle });
    if (window.kind !== "lag") return;
    const { lagMs, replicas } = window;
    this.lags.push({ from, until: from + forMs, lagMs, replicas });
  }

  addFaults(operation: Operation | "any", faults: readonly CallFault[], eachMs: number) {
    const each = faults.map((fault) => ({ operation, fault }));
    this.#faults.add(each, this.#parts.now(), eachMs);
  }

  endFaults() {
    const now = this.#parts.now();
    for (const lag of this.lags) lag.until = Math.min(lag.until, now);
    this.#windows = [];
    this.#faults.clear();
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
    const { timeline, now, draw, log } = this.#parts;
    const operation = operationOf(request);
    const sentAt = now();
    if (request.do === "call" || request.do === "create") this.changes.push(textOf(request));
    const fail = (afterMs: number, response: Response) => {
      const retryAfterMs = ("retryAfterMs" in response && response.retryAfterMs) || 0;
      this.observations?.failed(request, sentAt + afterMs + retryAfterMs);
      finish(afterMs, response);
    };
    const finish = (afterMs: number, response: Response) =>
      timeline.add(sentAt + afterMs, () => {
        log(() => `provider  ${textOf(request)}: ${describe(response)}`);
        this.observations?.responded(request, response);
        done(response);
      });
    const blocked = this.#blocked(operation);
    if (blocked) return fail(30, blocked);
    const fault = this.#faultOf(request);
    if (fault && (fault.kind !== "refused" || request.do === "call"))
      return this.#applyFault(request, fault, fail);
    const durationMs = 20 + Math.floor(draw("duration", textOf(request)) * 100);
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

  /** A call that changes something meets a fault once: its repetition passes, as long as no other fault holds. */
  #faultOf(request: Request): CallFault | undefined {
    const operation = operationOf(request);
    const isMeant = (each: { operation: string }) => each.operation === "any" || each.operation === operation;
    const once = request.do === "call" || request.do === "create" ? textOf(request) : undefined;
    return this.#faults.at(this.#parts.now(), isMeant, once)?.fault;
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
    const response = carryOut(records, request, { now: now(), readAt }, effects);
    if (response.kind !== "shift" || !this.hasEmptyLists) return response;
    this.emptyAt = now();
    return { ...response, shift: { ...response.shift, assigned: [] } };
  }

  /** Whether GET shows no people. */
  get hasEmptyLists(): boolean {
    return this.#open().some(({ kind }) => kind === "empty_lists");
  }

  #open() {
    return this.#windows.filter(({ until }) => until > this.#parts.now());
  }

  /** The time of the state that the replicas return: of one, it never goes back. */
  #readTime(shiftId: string): number {
    const now = this.#parts.now();
    const lags = this.#open().flatMap((window) => (window.kind === "lag" ? [window] : []));
    const readAt = now - Math.max(0, ...lags.map((window) => this.#lagOf(window, shiftId)));
    const isSingle = lags.every(({ replicas }) => replicas === 1);
    return isSingle ? Math.max(this.#readAt.get(shiftId) ?? 0, readAt) : readAt;
  }

  /** The lag of the replica that responds. The first does not lag, and the last lags most. */
  #lagOf({ lagMs, replicas, middle }: Lagging, shiftId: string): number {
    if (replicas === 1) return lagMs;
    const { draw } = this.#parts;
    const replica = Math.floor(draw("replica", shiftId) * replicas);
    if (replica === 0) return 0;
    return replica === replicas - 1 ? lagMs : Math.floor(lagMs * middle);
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
      return `POST /candidates (${request.candidateId})`;
    case "call": {
      const { call, shiftId } = request;
      if (call.do === "cancel") return `DELETE /shifts/${shiftId}`;
      if (call.do === "change") {
        const { startTime, endTime, positions } = call.values;
        return `PUT /shifts/${shiftId} ${startTime.slice(5, 16)}..${endTime.slice(5, 16)}, ${positions} positions`;
      }
      return `${call.do} ${call.providerCandidateId} on ${shiftId}`;
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
