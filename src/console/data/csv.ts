/** Rows as CSV (RFC 4180). With a byte order mark, without which spreadsheets misread names. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")}`;

/** A spreadsheet would run a text with such a beginning as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Saves a content as a file of that name. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
