/**
 * The default export of one of Ajv's CommonJS modules. Node hands out the whole module under `default`, some
 * loaders hand out its default export at once.
 */
export function defaultOf<T extends object>(module: { default: T }): T {
  return "default" in module ? module.default : module;
}
