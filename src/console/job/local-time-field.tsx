import { useId, useState } from "preact/hooks";
import { fromLocal, type Meant, offsetName, toLocal } from "./zoned-time.ts";

interface Props {
  name: string;
  /** IANA. */
  zone: string;
  /** The value before any input. */
  at: string;
  /** Undefined while the input is no time, or could be two. */
  onTime(at: string | undefined): void;
}

/** A local time of the workplace. Where the clock is set back, it asks which of two times is meant. */
export function LocalTimeField({ name, zone, at, onTime }: Props) {
  const hint = useId();
  const untouched = toLocal(at, zone);
  const [meant, setMeant] = useState<Meant>({ kind: "once", at });
  const type = (text: string) => {
    // Without input the time stays the same, also in an hour that occurs twice.
    const read: Meant = text === untouched ? { kind: "once", at } : fromLocal(text, zone);
    setMeant(read);
    onTime(read.kind === "once" ? read.at : undefined);
  };
  return (
    <div class="field">
      <label class="field">
        <span>{name}</span>
        <input
          type="datetime-local"
          required
          defaultValue={untouched}
          aria-describedby={hint}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </label>
      <div id={hint} class="hint" aria-live="polite">
        {meant.kind === "once" && `That is ${offsetName(meant.at, zone)}.`}
        {meant.kind === "never" && `The clock is set forward in ${zone}: it never shows this time.`}
        {meant.kind === "unreadable" && "Enter a complete date and time."}
      </div>
      {meant.kind === "twice" && <Which name={name} zone={zone} meant={meant} onTime={onTime} />}
    </div>
  );
}

function Which({
  name,
  zone,
  meant,
  onTime,
}: Pick<Props, "name" | "zone" | "onTime"> & { meant: Meant & { kind: "twice" } }) {
  return (
    <fieldset class="which">
      <legend>The clock is set back in {zone}: it shows this time twice. Which one?</legend>
      {(
        [
          ["the first", meant.first],
          ["the second", meant.second],
        ] as const
      ).map(([words, at]) => (
        <label key={at}>
          <input type="radio" name={`${name} twice`} required onChange={() => onTime(at)} /> {words},{" "}
          {offsetName(at, zone)}
        </label>
      ))}
    </fieldset>
  );
}
