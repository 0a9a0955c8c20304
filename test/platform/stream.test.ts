import { describe, expect, it, vi } from "vitest";
import type { Subscriber } from "../../src/platform/db/signals.ts";
import { createStream, type Reader, type Stream } from "../../src/platform/stream.ts";

/** Signals that the test makes, and a reader that keeps what it gets. */
function parts() {
  const subscribers: Subscriber[] = [];
  const signals = {
    subscribe: (subscriber: Subscriber) => {
      subscribers.push(subscriber);
      return () => void subscribers.splice(subscribers.indexOf(subscriber), 1);
    },
  };
  const signal = (topic: string) => subscribers.forEach(({ onTopics }) => void onTopics([topic]));
  const gap = () => subscribers.forEach(({ onGap }) => void onGap());
  return { signals, subscribers, signal, gap };
}

function readerOf(waiting = 0) {
  const got: unknown[] = [];
  const reader: Reader = {
    push: vi.fn((event) => got.push(event)),
    destroy: vi.fn(),
    readableLength: waiting,
  };
  return { got, reader };
}

/** Adds so many readers, and returns what stops each. */
const fill = (stream: Stream, count: number, operator: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => stream.add(readerOf().reader, operator(nth)));

const JOB = 'news {"type":"job","jobId":"j1","status":"open"}';
const MESSAGE = { event: "job", data: { jobId: "j1", status: "open" } };

describe("the stream", () => {
  it("sends each reader the events from its connection until it leaves", () => {
    const { signals, signal, gap } = parts();
    const stream = createStream(signals);
    const [first, second] = [readerOf(), readerOf()];
    const leave = stream.add(first.reader, "one");
    signal(JOB);
    stream.add(second.reader, "one");
    signal("booking:b1");
    gap();
    if (typeof leave === "function") leave();
    signal(JOB);
    const gapped = { event: "gap", data: {} };
    expect(first.got).toEqual([MESSAGE, gapped]);
    expect(second.got).toEqual([gapped, MESSAGE]);
    stream.close();
  });

  it("drops a reader that does not keep up, and no other", () => {
    const { signals, signal } = parts();
    const stream = createStream(signals);
    const [slow, quick] = [readerOf(1_001), readerOf(1_000)];
    stream.add(slow.reader, "one");
    stream.add(quick.reader, "one");
    signal(JOB);
    signal(JOB);
    expect(slow.reader.destroy).toHaveBeenCalledOnce();
    expect(slow.got).toHaveLength(1);
    expect(quick.got).toHaveLength(2);
    expect(quick.reader.destroy).not.toHaveBeenCalled();
    stream.close();
  });

  it("refuses the readers of an operator over that one's limit, and no other operator's", () => {
    const { signals } = parts();
    const stream = createStream(signals);
    const [leave] = fill(stream, 20, () => "one");
    expect(stream.add(readerOf().reader, "one")).toBe("operator_full");
    expect(stream.add(readerOf().reader, "two")).toBeTypeOf("function");
    if (typeof leave === "function") leave();
    expect(stream.add(readerOf().reader, "one")).toBeTypeOf("function");
    stream.close();
  });

  it("refuses readers over its limit, and every reader once it is closed", () => {
    const { signals, subscribers } = parts();
    const stream = createStream(signals);
    const { reader } = readerOf();
    const [leave] = fill(stream, 100, (nth) => `operator ${nth}`);
    expect(stream.add(reader, "one")).toBe("full");
    if (typeof leave === "function") leave();
    expect(stream.add(reader, "one")).toBeTypeOf("function");
    stream.close();
    expect(reader.push).toHaveBeenCalledExactlyOnceWith(null);
    expect(subscribers).toEqual([]);
    expect(stream.add(reader, "one")).toBe("full");
  });
});
