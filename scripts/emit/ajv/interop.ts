/**
 * Returns the default export of one of Ajv's CommonJS modules. Node returns the whole module under `default`, some
 * loaders its default export.
 */
export function defaultOf<T extends object>(module: { default: T }): T {
  return "default" in module ? module.default : module;
}
