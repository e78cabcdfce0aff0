/**
 * Ringing tones by country (ITU-T E.180, Supplement 2): frequencies in Hz that sound together, then
 * seconds of tone and silence in turn.
 */
export const ringTones = {
  at: [[420], [1, 5]],
  au: [[400, 425], [0.4, 0.2, 0.4, 2]],
  be: [[425], [1, 3]],
  bg: [[425], [1, 4]],
  br: [[425], [1, 4]],
  ch: [[425], [1, 4]],
  cl: [[400], [1, 3]],
  cn: [[450], [1, 4]],
  cz: [[425], [1, 4]],
  de: [[425], [1, 4]],
  dk: [[425], [1, 4]],
  ee: [[425], [1, 4]],
  es: [[425], [1.5, 3]],
  fi: [[425], [1, 4]],
  fr: [[440], [1.5, 3.5]],
  gr: [[425], [1, 4]],
  hu: [[425], [1.25, 3.75]],
  il: [[400], [1, 3]],
  in: [[400, 450], [0.4, 0.2, 0.4, 2]],
  it: [[425], [1, 4]],
  jp: [[384, 416], [1, 2]],
  lt: [[425], [1, 4]],
  mx: [[425], [1, 4]],
  my: [[425], [0.4, 0.2, 0.4, 2]],
  nl: [[425], [1, 4]],
  no: [[425], [1, 4]],
  nz: [[400, 450], [0.4, 0.2, 0.4, 2]],
  ph: [[425, 480], [1, 4]],
  pl: [[425], [1, 4]],
  pt: [[425], [1, 5]],
  ru: [[425], [0.8, 3.2]],
  se: [[425], [1, 5]],
  sg: [[400, 450], [0.4, 0.2, 0.4, 2]],
  th: [[400], [1, 4]],
  tw: [[440, 480], [1, 2]],
  uk: [[400, 450], [0.4, 0.2, 0.4, 2]],
  us: [[440, 480], [2, 4]],
  "us-old": [[420, 460], [2, 4]],
  ve: [[425], [1, 4]],
  za: [[400, 425], [0.4, 0.2, 0.4, 2]],
} as const satisfies Record<string, readonly [hz: readonly number[], cadenceS: readonly number[]]>;

export type RingTone = keyof typeof ringTones;

/** Every country with a tone. */
export const ringToneNames = Object.keys(ringTones) as [RingTone, ...RingTone[]];
