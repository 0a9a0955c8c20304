import type { MaybeOptionalInit } from "openapi-fetch";

type Methods = "get" | "put" | "post" | "delete" | "patch";

/** The arguments of a client method: one, required as soon as the operation requires a parameter or a body. */
export type Init<Paths, Path extends keyof Paths, Method extends Methods & keyof Paths[Path]> =
  undefined extends MaybeOptionalInit<Paths[Path], Method>
    ? [init?: NonNullable<MaybeOptionalInit<Paths[Path], Method>>]
    : [init: MaybeOptionalInit<Paths[Path], Method>];
