import { MatchersV3 } from "@pact-foundation/pact";

/** One value for each name of the provider states. The personal number is a published test number. */
export const EXAMPLES = {
  providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  shiftId: "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3",
  candidateId: "7e7d0c9a-92a7-4a30-9f4e-6f3a0a2b9c11",
  assignedCandidateId: "2b6f1d3c-64e5-4a0c-8a55-1d9b7f3e0c42",
  personalNumber: "189001169813",
  hyphenatedNumber: "18900116-9813",
  startTime: "2027-03-27T22:00:00+01:00",
  endTime: "2027-03-28T06:00:00+02:00",
  kind: "tempo",
  platformToken: "platform-token",
  traceId: "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55",
} as const;

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const TIME = "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}[^ ]*";

/** The pattern of a value; anything without a space unless listed here. */
const SHAPES: Partial<Record<string, string>> = {
  providerId: UUID,
  personalNumber: "\\d{12}",
  hyphenatedNumber: "\\d{8}-\\d{4}",
  startTime: TIME,
  endTime: TIME,
  traceId: UUID,
};

/** Returns the template with the example values: `/shifts/{shiftId}` in the call of a consumer test. */
export function filled(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name));
}

function exampleOf(name: string): string {
  if (Object.hasOwn(EXAMPLES, name)) return EXAMPLES[name as keyof typeof EXAMPLES];
  throw new TypeError(`no provider state names ${name}`);
}

/**
 * Returns a text of the request whose `{names}` become the provider's values when the contract is verified. Pact's
 * own `fromProviderState` matches any text; this one also requires the pattern from the consumer.
 */
export function stated(template: string): MatchersV3.V3RegexMatcher {
  const parts = template.split(/\{(\w+)\}/);
  const regex = parts.map((part, index) => (index % 2 === 0 ? literal(part) : (SHAPES[part] ?? "[^/ ]+")));
  return {
    ...MatchersV3.regex(`^${regex.join("")}$`, filled(template)),
    ...fromState(template.replaceAll(/\{(\w+)\}/g, (name) => `$${name}`)),
  };
}

function fromState(expression: string): object {
  return { "pact:generator:type": "ProviderState", expression };
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Matches an id in a response: any text, which the provider chooses. */
export const anId = (name: keyof typeof EXAMPLES) =>
  MatchersV3.fromProviderState(`\${${name}}`, EXAMPLES[name]);

export const aUuid = (example: string) => MatchersV3.regex(`^${UUID}$`, example);

/** Matches ISO 8601 in any of its forms. */
export const aTime = (example: string) =>
  MatchersV3.regex("^\\d{4}-?\\d{2}-?\\d{2}[Tt]\\d{2}[^ ]*$", example);

export const aText = (example: string) => MatchersV3.string(example);

export const aBearerToken = () => MatchersV3.regex("^Bearer [^ ]+$", "Bearer token");

/** W3C Trace Context; the parent id is new in each call. */
export const aTraceparent = () =>
  MatchersV3.regex(
    "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$",
    "00-3f1f6f5c0f4e4a3a8d0f2c9f6f1f7a55-00f067aa0ba902b7-01",
  );

/** Matches a media type of JSON, with or without parameters: the platform reads the body, not its label. */
export const aJsonType = () =>
  MatchersV3.regex("^application/(?:[\\w.-]+\\+)?json(?:;.*)?$", "application/json");

/** Matches any of the statuses; the consumer's test gets the first one. */
export function oneOf(...statuses: [number, ...number[]]) {
  return MatchersV3.matchStatus(statuses[0], statuses);
}
