import type { Request } from "express";

/**
 * The session of a request's cookie. The platform is reached over https, or over http on a machine or a network of its own; browsers keep
 * cookies of all ports of a host together, so that over http the name has the port.
 */
export function sessionOf(request: Request): string | undefined {
  const name = nameOf(request);
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** The header that gives a browser its session, until it is closed. */
export const setCookie = (request: Request, session: string): { "Set-Cookie": string } =>
  header(request, session, "");

export const clearCookie = (request: Request): { "Set-Cookie": string } => header(request, "", "; Max-Age=0");

function header(request: Request, value: string, end: string) {
  const secure = request.secure ? "; Secure" : "";
  return { "Set-Cookie": `${nameOf(request)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${end}` };
}

function nameOf(request: Request): string {
  // The prefix makes a browser refuse the cookie from another host, or without `Secure`.
  if (request.secure) return "__Host-shiftpact";
  const [, port = "80"] = /:(\d{1,5})$/.exec(request.host) ?? [];
  return `shiftpact-${port}`;
}

/**
 * Whether a page of the platform itself sent the request. `SameSite` alone lets the pages of other ports and subdomains send the cookie.
 * Browsers name the site of every request over https, and to their own machine; over plain http they send the origin of what is not a GET.
 */
export function isFromOwnPage(request: Request): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (site !== undefined) return site === "same-origin" || (isRead && site === "none");
  if (origin === undefined) return isRead;
  return URL.parse(origin)?.host === request.host;
}
