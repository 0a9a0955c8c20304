import { TIMING } from "../../src/clients/retry-policy.ts";
import {
  type Answer,
  createHadNoEffect,
  isFinal,
  type PersonStep,
  planPerson,
} from "../../src/platform/people/plan.ts";
import { noteReachable, pause, recordRoute, resume } from "./integration.ts";
import type { Request } from "./operations.ts";
import type { Claim, Worker } from "./runs.ts";
import type { BookingRow, PersonRow } from "./store.ts";

const PROBE_MS = 60_000;

const FORGOTTEN = { kind: "forgotten" } as const;

/** Works as `IS_WAITING` of people/run.ts. */
function isWaiting({ status, isWithdrawn, routeDoubt, atProvider }: BookingRow): boolean {
  const isSeat = status === "pending" || status === "confirmed";
  return (isSeat && !isWithdrawn) || (routeDoubt !== null && atProvider !== "no");
}

/** Runs the reconciliation of a person, as people/run.ts does, and the probe of a provider that rejects the token or responds implausibly. */
export class PersonRuns {
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  run(claim: Claim) {
    this.#step(claim, undefined, false);
  }

  probe(claim: Claim) {
    const { store, network, now } = this.#worker.parts;
    const { pausedSince, implausibleSince } = store.integration;
    if (pausedSince === null && implausibleSince === null)
      return this.#worker.settle(claim, { priority: 0, attempts: 0 });
    network.send({ do: "outlets" }, ({ kind }) => {
      if (claim.isAbandoned) return;
      if (kind === "list") {
        resume(store, now());
        noteReachable(store, now());
      }
      const rest = { priority: 0, attempts: 0, ...(kind !== "list" && { afterMs: PROBE_MS }) };
      this.#worker.settle(claim, rest);
    });
  }

  #step(claim: Claim, answer: Answer | undefined, existsUnseen: boolean, asked?: "look_up" | "create") {
    if (claim.isAbandoned) return;
    const { now, invariants } = this.#worker.parts;
    const person = this.#wanted(claim.row.key);
    if (!person) return this.#finish(claim);
    const isForgotten = person.fault?.kind === "forgotten";
    const keptId = person.fault?.kind === "forgotten" ? (person.fault.id ?? null) : null;
    const created = person.fault?.kind === "created" ? person.fault.failure : null;
    const since = person.fault?.kind === "forgotten" ? person.fault.since : undefined;
    const forgottenAt = since === undefined ? null : Date.parse(since);
    const facts = {
      createSentAt: person.createSentAt,
      existsUnseen,
      created,
      isForgotten,
      keptId,
      forgottenAt,
    };
    const step = invariants.guard(() => planPerson(facts, answer, now(), TIMING));
    if (!step) return;
    if (createHadNoEffect(asked, answer)) person.createSentAt = null;
    if (step.do !== "look_up" && step.do !== "create") return this.#conclude(claim, person, step);
    this.#ask(claim, person, step.do, answer?.kind === "exists");
  }

  /** Returns the row of the person, if a booking waits for it. */
  #wanted(candidateId: string): PersonRow | undefined {
    const { store, now } = this.#worker.parts;
    const person = store.people.get(candidateId);
    if (!person || person.id !== null || isFinal(person.fault ?? FORGOTTEN)) return undefined;
    const isWanted = store.bookings.some((booking) => {
      const job = store.jobs.get(booking.shiftId);
      if (booking.candidateId !== candidateId || !isWaiting(booking)) return false;
      return job !== undefined && job.status !== "cancelled" && job.startTime > now();
    });
    return isWanted ? person : undefined;
  }

  #finish(claim: Claim) {
    const { store, now } = this.#worker.parts;
    for (const booking of store.bookings)
      if (booking.candidateId === claim.row.key && isWaiting(booking))
        store.markDue("shift", booking.shiftId, 0, now());
    this.#worker.settle(claim, { attempts: 0, priority: claim.row.priority });
    this.#worker.committed(undefined);
  }

  #ask(claim: Claim, person: PersonRow, what: "look_up" | "create", existsUnseen: boolean) {
    const { network, store, now } = this.#worker.parts;
    const candidateId = claim.row.key;
    if (what === "create") {
      person.idempotencyKey ??= store.newId("key");
      person.createSentAt = now();
    }
    const key = person.idempotencyKey ?? "";
    const request: Request =
      what === "create" ? { do: "create", candidateId, key } : { do: "look_up", candidateId };
    const send = () =>
      network.ask(request, (response) => this.#step(claim, response as Answer, existsUnseen, what));
    if (what === "create" && this.#worker.committed(send)) return;
    send();
  }

  #conclude(claim: Claim, person: PersonRow, step: Exclude<PersonStep, { do: "look_up" | "create" }>) {
    const { store, now } = this.#worker.parts;
    const { priority } = claim.row;
    const ended = { createSentAt: null, idempotencyKey: null };
    switch (step.do) {
      case "know":
        store.know(person, step.id);
        Object.assign(person, ended);
        if (step.how === "created") recordRoute(store, { route: "createCandidate", works: true }, now());
        return this.#finish(claim);
      case "give_up":
        if (person.createSentAt === null) person.idempotencyKey = null;
        person.fault = step.fault;
        return this.#finish(claim);
      case "pause":
        pause(store, now());
        return this.#worker.settle(claim, { afterMs: 0, attempts: 0, priority });
      case "wait":
        return this.#worker.settle(claim, { afterMs: step.ms, attempts: 0, priority, isFirm: true });
      case "retry":
        if (step.failure.failure === "route_missing")
          recordRoute(store, { route: "createCandidate", works: false }, now());
        return this.#worker.settle(claim, {
          ...this.#worker.retryAfterFailure(claim, step.failure),
          priority,
        });
    }
  }
}
