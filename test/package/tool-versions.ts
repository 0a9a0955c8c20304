/** The tools that are tested on the published documents, in the versions of the guide "Use your tools". */
export const GENERATORS = {
  oazapfts: "7.5.0",
  orval: "8.38.0",
  "openapi-typescript-codegen": "0.31.0",
  "openapi-zod-client": "1.18.3",
};

export const TOOLS = {
  "@stoplight/spectral-cli": "6.16.3",
  quicktype: "26.0.0",
  "@apidevtools/swagger-parser": "13.1.0",
  "openapi-backend": "5.21.2",
  "@usebruno/cli": "4.1.0",
};

/** Other runtimes in which the clients are tested. */
export const RUNTIMES = { bun: "1.4.5", deno: "2.9.6" };

/** Checks of published packages. */
export const PACKAGE_CHECKS = { publint: "0.3.25", "@arethetypeswrong/cli": "0.18.5" };
