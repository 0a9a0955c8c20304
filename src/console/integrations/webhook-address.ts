/**
 * Where an organisation of this kind sends its webhooks (contract section 4.3).
 * @param origin how the platform is reached: scheme, host and port.
 */
export function webhookAddress(origin: string, kind: string): string {
  return `${origin}/api/v3/integrations/${encodeURIComponent(kind)}/webhook`;
}
