/** Paths are appended to a base URL with a slash of their own. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
