/** `start time`, `competence ids 2`: the field at a JSON pointer, in words; empty for the whole. */
export function fieldWords(pointer: string): string {
  return pointer
    .replace(/^#?(?:\/(?:body|query|path)(?=\/))?/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("/", " ")
    .trim()
    .toLowerCase();
}
