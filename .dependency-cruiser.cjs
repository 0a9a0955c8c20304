// Who may import whom. test/conventions.test.ts runs these rules over the tree, and over a tree made to break them.

const OURS = "^(generated|src|scripts|test)/";

/** What tests and scripts share. */
const SHARED = "^test/(harness|testdata)/";

/** Imports are allowed only from the left: what a folder may import of ours; npm packages have rules of their own. */
const LAYERS = {
  runtime: { from: "^src/runtime/", imports: ["^src/runtime/"] },
  generated: { from: "^generated/", imports: ["^generated/", "^src/runtime/"] },
  contract: { from: "^src/contract/", imports: ["^generated/", "^src/(runtime|contract)/"] },
  clients: { from: "^src/clients/", imports: ["^generated/", "^src/(runtime|contract|clients)/"] },
  platform: { from: "^src/platform/", imports: ["^generated/", "^src/(runtime|contract|clients|platform)/"] },
  sandbox: { from: "^src/sandbox/", imports: ["^generated/", "^src/(runtime|contract|clients|sandbox)/"] },
  verify: { from: "^src/verify/", imports: ["^generated/", "^src/(runtime|contract|clients|verify)/"] },
  console: {
    from: "^src/console/",
    imports: ["^generated/operations/", "^src/(runtime|contract|console)/"],
  },
  cli: { from: "^src/cli/", imports: ["^generated/", "^src/"] },
  index: { from: "^src/[^/]+$", imports: ["^generated/", "^src/(contract|clients)/"] },
  // What the generated validators call.
  emit: { from: "^scripts/emit/", imports: ["^scripts/emit/", "^src/runtime/"] },
  scripts: { from: "^scripts/", imports: ["^(generated|src|scripts)/", SHARED] },
  harness: { from: "^test/harness/", imports: ["^(generated|src)/", SHARED] },
  // The tests of scripts, and of what scripts generate and pack.
  test: { from: "^test/(?!(chaos|generate|package|scripts)/)", imports: ["^(generated|src|test)/"] },
};

const layers = Object.entries(LAYERS).map(([name, { from, imports }]) => ({
  name: `layer-${name}`,
  comment: `may import of ours only ${imports.join(", ")}`,
  severity: "error",
  from: { path: from },
  to: { path: OURS, pathNot: imports },
}));

const PLATFORM = "^src/platform/";

const STAGES = "main -> app -> http -> features -> work, transaction, db, deps";

/** Imports run from left to right. What every feature works with knows no feature. */
const PLATFORM_STAGES = {
  main: { from: { path: PLATFORM, pathNot: `${PLATFORM}main[.]ts$` }, to: `${PLATFORM}main[.]ts$` },
  app: { from: { path: PLATFORM, pathNot: `${PLATFORM}(main|app)[.]ts$` }, to: `${PLATFORM}app[.]ts$` },
  http: { from: { path: PLATFORM, pathNot: `${PLATFORM}((main|app)[.]ts$|http/)` }, to: `${PLATFORM}http/` },
  features: {
    from: { path: `${PLATFORM}((db|work)/|(deps|config|ids|log|transaction)[.]ts$)` },
    to: `${PLATFORM}((?!(db|work)/)[^/]+/|(issues|stream)[.]ts$)`,
  },
  db: { from: { path: `${PLATFORM}db/` }, to: `${PLATFORM}(work/|(deps|transaction)[.]ts$)` },
};

const stages = Object.entries(PLATFORM_STAGES).map(([name, { from, to }]) => ({
  name: `platform-${name}`,
  comment: STAGES,
  severity: "error",
  from,
  to: { path: to },
}));

const PLAN = `${PLATFORM}shifts/plan/`;

/** Every rule of the reconciler, without a database, HTTP, or a clock. */
const plan = {
  name: "plan-is-pure",
  comment: "what a plan works with are values: the simulator plays it",
  severity: "error",
  from: { path: PLAN },
  to: {
    path: `${OURS}|(^|/)node_modules/`,
    pathNot: `${PLAN}|${PLATFORM}(people/plan|step|work/ladder)[.]ts$|^src/contract/`,
    dependencyTypesNot: ["type-only"],
  },
};

/** A helper lies beside its tests, or in test/harness once tests of another folder use it too. */
const TEST_FOLDERS = {
  test: { from: "^test/(?!harness/)([^/]+)/", to: "^test/", except: "^test/($1|harness|testdata)/" },
  platform: { from: "^test/platform/([^/]+)/", to: "^test/platform/", except: "^test/platform/$1/" },
};

const helpers = Object.entries(TEST_FOLDERS).map(([name, { from, to, except }]) => ({
  name: `helper-${name}`,
  comment: "helpers that tests of several folders use are in test/harness",
  severity: "error",
  from: { path: from },
  to: { path: to, pathNot: except },
}));

const packages = [
  {
    name: "drivers-only-in-db",
    comment: "the rest speaks kysely, so that one dialect runs on every engine",
    from: { path: "^src/", pathNot: `${PLATFORM}db/` },
    to: { path: "(^|/)node_modules/((@types/)?pg|@electric-sql/pglite)/|^(pg|@electric-sql/pglite)(/|$)" },
  },
  {
    name: "no-dev-dependency",
    comment:
      "an installed library has no devDependencies; the kit, the platform and the console are bundled, or have their own",
    // How the platform calls is no part of the library.
    from: { path: "^(generated|src/(runtime|contract|clients)|src/[^/]+$)", pathNot: "/call-policy[.]ts$" },
    to: {
      dependencyTypes: ["npm-dev"],
      dependencyTypesNot: ["type-only", "npm-peer"],
      pathNot: "(^|/)node_modules/@types/",
    },
  },
  {
    name: "no-undeclared-package",
    comment: "a package that another one happens to bring along can vanish",
    from: { path: OURS },
    to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only", "npm-peer"] },
  },
];

const everywhere = [
  {
    name: "no-folder-cycle",
    comment: "the features of the platform build on each other in one direction, types included",
    scope: "folder",
    from: { path: `${PLATFORM}[^/]+$` },
    to: { circular: true, viaOnly: { path: `${PLATFORM}[^/]+$` } },
  },
  { name: "no-circular", comment: "types included", from: {}, to: { circular: true } },
  { name: "no-unresolvable", from: {}, to: { couldNotResolve: true } },
  {
    name: "no-orphans",
    comment:
      "nothing imports it and it imports nothing; generated validators do neither until a module imports them",
    from: { path: "^(src|scripts)/", orphan: true, pathNot: "[.]d[.]ts$|^src/runtime/text-length[.]ts$" },
    to: {},
  },
];

module.exports = {
  forbidden: [
    ...layers,
    ...stages,
    plan,
    ...helpers,
    ...[...packages, ...everywhere].map((rule) => ({ severity: "error", ...rule })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // They import the package as it is installed; test/package compiles and runs them.
    exclude: { path: "^test/examples/" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".d.ts"],
    },
  },
};
