import { createHash } from "node:crypto";
import { isUuid } from "../contract/uuid.ts";

/**
 * Numbers of people who do not exist: published test numbers of the Swedish Tax Agency (Skatteverket), open data set
 * b4de7df7-63c0-4e7e-bb59-1f156a591763 (2023). The kit uses no other numbers.
 */
export const TEST_NUMBERS: readonly string[] = `
  195212222318 195401120323 195706262630 195907029911 196001282570 196011282834 196502013755 196705203252
  197209189294 197210119280 197310319293 197601172393 197602142395 197603212387 197606252380 197608282393
  197608292392 197610222387 197701032398 197708132399 197710189346 197801062394 197802192398 197806152380
  197807272385 197808152388 197808202381 197808232396 197809092393 197809302388 197811032387 197812212384
  197902122394 197909042389 197909292380 197910222392 198002102393 198003272393 198008022389 198008312384
  198009152391 198102142380 198103232396 198108132393 198109092398 198111042399 198111152388 198111272384
  198206042387 198206082391 198209272387 198302202398 198304152385 198305119284 198311062395 198311122397
  198401132389 198406072382 198409272393 198409302398 198411172383 198501302395 198502022380 198503062385
  198503142393 198504052385 198505132392 198507012394 198512182380 198601052387 198601192381 198601262390
  198601312393 198612202393 198612232382 198612242381 198703182389 198704112385 198706302380 198707042381
  198709122389 198712202392 198801182380 198803282386 198804302399 198805102392 198806032382 198807102390
  198808102381 198808312386 198809292389 198811302382 198812312380 198903092396 198903262387 198904122382
  198904232389 198906242386 198906302396 198907272390 198908162384 198908202388 199001112383 199007042386
  199009112385 199010102391 199012312386 199103082393 199103102381 199107272396 199107292394 199109282385
  199201212397 199201302396 199204052386 199204082383 199204132394 199206112386 199211152385 199211182390
  199212162383 199303212386 199309232396 199309302397 199310012381 199311172382 199312222392 199402082383
  199403272397 199406142399 199406282393 199408172386 199501022397 199501192380 199502112395 199503032394
  199509182383 199510102388 199510272397 199511172380 199512032385 199602072382 199606102383 199608012390
  199609082384 199609172391 199612222381 199701112386 199702122392 199704022392 199704072389 199707202389
  199708102398 199708122396 199801202392 199802122391 199805042380 199806172384 199808032396 199808152384
  199811052381 199812272384 199901122383 199902252395 199905202389 199906082384 199907032396 199908102388
  199911292382 199912172385 199912282382 200003032380 200003312394 200007112386 200009222399 200010212389
  200011212396 200102052396 200102122389 200105232391 200105252381 200108052390 200110182391 200111012381
  200112302393 200201182383 200204212385 200207252388 200209242387 200209302397 200212062384 200302222385
  200304262389 200305312399 200310092382 200310172390 200312212392 200407202381 200409142395 200409152394
  200503072381 200504292384 200507032381 200507122398 200507162394 200512212382 200601062391 200601192388
  200601202385 200604022392 200605082387 200605242387 200609222393 200611152380 200611262387
`
  .trim()
  .split(/\s+/);

/** Purpose of a test number. No candidate is created under those of `unused`; those of `invalid` are the same in each run. */
export type Purpose = "unused" | "invalid" | "valid";

/** Each of the two fixed purposes has a part of the numbers, of a few spare ones: a provider's own people may have some. */
const PART = 7;
const MOST = { unused: 8, invalid: 24 } as const;

export function numbersFor(purpose: Purpose, numbers: readonly string[]): readonly string[] {
  const part = Math.ceil(numbers.length / PART);
  const [unused, invalid] = [Math.min(part, MOST.unused), Math.min(part, MOST.invalid)];
  if (purpose === "unused") return numbers.slice(0, unused);
  return purpose === "invalid" ? numbers.slice(unused, unused + invalid) : numbers.slice(unused + invalid);
}

/** Returns a different text of the same form: same length, letters for letters and digits for digits. */
export function unlike(text: string, salt: string): string {
  const noise = createHash("sha512").update(salt).digest();
  const kinds = /^[0-9a-f]+$/i.test(text) ? HEX : KINDS;
  return [...text]
    .map((character, index) => exchanged(character, noise[index % noise.length] ?? 0, kinds))
    .join("");
}

const KINDS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];
const HEX = ["abcdef", "ABCDEF", "0123456789"];

function exchanged(character: string, noise: number, kinds: readonly string[]): string {
  const kind = kinds.find((each) => each.includes(character));
  if (kind === undefined) return character;
  const by = 1 + (noise % (kind.length - 1));
  return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
}

/** With fewer letters and digits, a random text of the same form could be an existing id. */
const LONG_ENOUGH = 6;

/** Returns an unknown id of the same form as a known one; a numeric id is far above any counter. */
export function idUnlike(known: string, run: { madeUp(name: string): string }, name: string): string {
  const madeUp = run.madeUp(name);
  if (isUuid(known)) return madeUp;
  if (/^\d+$/.test(known) && known.length < 10) return `19${unlike("00000000", madeUp)}`;
  const exchangeable = known.replaceAll(/[^A-Za-z0-9]/g, "").length;
  return exchangeable < LONG_ENOUGH ? madeUp : unlike(known, madeUp);
}

/** Prefix of a token that is kept, such as `provider_`. */
const PREFIX = /^[A-Za-z0-9]{1,16}[_.:-]/;

/** Returns an unknown token with the length and prefix of the real one. */
export function tokenUnlike(token: string, salt: string): string {
  const prefix = PREFIX.exec(token)?.[0] ?? token.slice(0, 2);
  const rest = token.slice(prefix.length);
  const madeUp = unlike(rest, salt);
  return madeUp === rest ? unlike(token, salt) : prefix + madeUp;
}

/** Returns the text with the case of its letters swapped: a token without letters does not change. */
export function otherCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase()));
}
