/** What an `<input type="datetime-local">` takes: the reader's own clock, to the minute. */
export function toLocalInput(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** ISO 8601 of what such an input holds; undefined for what is no time. */
export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
