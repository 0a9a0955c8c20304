/** Returns the word that needs the fewest letters changed to become `text`; undefined if none is near. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, apart: distance(text.toLowerCase(), word.toLowerCase()) }));
  const [best] = ranked.sort((one, other) => one.apart - other.apart);
  return best !== undefined && best.apart <= Math.max(1, Math.floor(text.length / 3)) ? best.word : undefined;
}

/** How many letters to add, remove, replace, or exchange with the next. */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const ways = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + Number(!isSame),
      ];
      if (row > 1 && column > 1 && isExchanged) ways.push(at(row - 2, column - 2) + 1);
      rows[row]?.push(Math.min(...ways));
    }
  }
  return at(one.length, other.length);
}
