import type { Language } from "../../../generated/operations/types.ts";
import { RadioField } from "./form.tsx";

export const LANGUAGES: Record<Language, string> = { sv: "Swedish", en: "English" };

/** The language of mails and pages. Once chosen it can be changed, and not unset. `otherwise`: what holds while none is chosen. */
export function LanguageField({ chosen, otherwise }: { chosen: Language | undefined; otherwise: string }) {
  const named = Object.entries(LANGUAGES) as [Language, string][];
  const choices = chosen === undefined ? [["", otherwise] as const, ...named] : named;
  return (
    <RadioField
      name="language"
      legend="Language of mails and pages"
      choices={choices}
      chosen={chosen ?? ""}
    />
  );
}

export const languageIn = (given: FormData): Language | undefined =>
  (Object.keys(LANGUAGES) as Language[]).find((language) => given.get("language") === language);
