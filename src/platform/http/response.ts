export const ok = <Body>(body: Body) => ({ status: 200, body }) as const;
export const created = <Body>(body: Body) => ({ status: 201, body }) as const;
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const;
export const noContent = { status: 204 } as const;
