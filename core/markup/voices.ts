/** The voice of every speech provider that stands for a voice of Amazon Polly or Google. */
export interface NamedVoice {
  voice: "woman" | "man";
  /** Language of the voice; null: the one that `Say` names. */
  language: string | null;
}

/** Voices of Amazon Polly by language: women's, then men's. */
const polly: Readonly<Record<string, readonly [women: string, men: string]>> = {
  "ar-AE": ["Hala", "Zayd"],
  arb: ["Zeina", ""],
  "ca-ES": ["Arlet", ""],
  "cmn-CN": ["Zhiyu", ""],
  "cs-CZ": ["Jitka", ""],
  "cy-GB": ["Gwyneth", ""],
  "da-DK": ["Naja Sofie", "Mads"],
  "de-AT": ["Hannah", ""],
  "de-CH": ["Sabrina", ""],
  "de-DE": ["Marlene Vicki", "Hans Daniel"],
  "en-AU": ["Nicole Olivia", "Russell"],
  "en-GB": ["Amy Emma", "Brian Arthur"],
  "en-GB-WLS": ["", "Geraint"],
  "en-IE": ["Niamh", ""],
  "en-IN": ["Aditi Kajal Raveena", ""],
  "en-NZ": ["Aria", ""],
  "en-SG": ["Jasmine", ""],
  "en-US": [
    "Danielle Ivy Joanna Kendra Kimberly Ruth Salli Tiffany",
    "Gregory Joey Justin Kevin Matthew Patrick Stephen",
  ],
  "en-ZA": ["Ayanda", ""],
  "es-ES": ["Alba Conchita Lucia", "Enrique Raul Sergio"],
  "es-MX": ["Mia", "Andres"],
  "es-US": ["Lupe Penelope", "Miguel Pedro"],
  "fi-FI": ["Suvi", ""],
  "fr-BE": ["Isabelle", ""],
  "fr-CA": ["Chantal Gabrielle", "Liam"],
  "fr-FR": ["Celine Lea", "Mathieu Remi"],
  "is-IS": ["Dora", "Karl"],
  "it-IT": ["Bianca Carla", "Adriano Giorgio"],
  "ja-JP": ["Kazuha Mizuki Tomoko", "Takumi"],
  "ko-KR": ["Jihye Seoyeon", ""],
  "nb-NO": ["Ida Liv", ""],
  "nl-BE": ["Lisa", ""],
  "nl-NL": ["Laura Lotte", "Ruben"],
  "pl-PL": ["Ewa Maja Ola", "Jacek Jan"],
  "pt-BR": ["Camila Vitoria", "Ricardo Thiago"],
  "pt-PT": ["Ines", "Cristiano"],
  "ro-RO": ["Carmen", ""],
  "ru-RU": ["Tatyana", "Maxim"],
  "sv-SE": ["Astrid Elin", ""],
  "tr-TR": ["Burcu Filiz", ""],
  "yue-CN": ["Hiujin", ""],
};

const namesIn = (names: string): string[] => names.split(" ").filter(Boolean);

const pollyVoices = new Map<string, NamedVoice>(
  Object.entries(polly).flatMap(([language, [women, men]]) => [
    ...namesIn(women).map((name) => [name, { voice: "woman", language }] as const),
    ...namesIn(men).map((name) => [name, { voice: "man", language }] as const),
  ]),
);

/** Google's voices with names of their own that are men's. */
const googleMen = new Set(namesIn(
  "Achird Algenib Algieba Alnilam Charon Enceladus Fenrir Iapetus Orus Puck Rasalgethi " +
    "Sadachbia Sadaltager Schedar Umbriel Zubenelgenubi",
));

/** Letters of Google's other voices that are men's; those of American English begin with a man. */
const menLetters = /^[BDIJ]$/;
const americanMenLetters = /^[ABDIJ]$/;

/**
 * The voice for a name of documents written for Twilio: `alice`, `Polly.*` and `Google.*`,
 * by language and gender. Undefined for any other name.
 */
export function voiceNamed(name: string): NamedVoice | undefined {
  if (name === "alice") return { voice: "woman", language: null };
  const [, pollyName] = /^Polly\.([\p{L}]+)(?:-[\w-]+)?$/u.exec(name) ?? [];
  if (pollyName !== undefined) {
    return pollyVoices.get(pollyName.normalize("NFD").replace(/\p{M}/gu, ""));
  }
  const [, language, ending] =
    /^Google\.([A-Za-z]{2,3}-[A-Za-z]{2})-(?:[A-Za-z0-9]+-)*?([A-Za-z]+)$/.exec(name) ?? [];
  if (language === undefined || ending === undefined) return undefined;
  const letters = language === "en-US" ? americanMenLetters : menLetters;
  const isMan = ending.length === 1 ? letters.test(ending) : googleMen.has(ending);
  return { voice: isMan ? "man" : "woman", language };
}
