const IS_COMPILED = import.meta.url.endsWith(".js");

/** Returns the file of a thread, compiled if this module is: all modules of a package are in one folder then. */
export function workerFile(source: URL): URL {
  const file = new URL(source);
  if (IS_COMPILED) file.pathname = file.pathname.replace(/ts$/, "js");
  return file;
}

/** Returns the flags of a thread: none, as some are not for threads; but a Node that cannot read TypeScript needs its loader. */
export const workerFlags = (): string[] =>
  IS_COMPILED || process.features.typescript ? [] : process.execArgv;
