export const ok = <Body>(body: Body) => ({ status: 200, body }) as const;
export const created = <Body>(body: Body) => ({ status: 201, body }) as const;
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const;
/** Whether a client prefers a response at once (RFC 7240, section 4.1). */
export const doesNotWait = (prefer = ""): boolean =>
  prefer.split(",").some((each) => each.split(";")[0]?.trim().toLowerCase() === "respond-async");

export const noContent = { status: 204 } as const;
