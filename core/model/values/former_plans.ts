/**
 * Numbers of national plans that have changed. Carriers, messengers and address books go on writing
 * the former numbers, which libphonenumber does not translate. Argentina's 15 and 9 need no row: it
 * reads them.
 *
 * A row needs three things. The new number follows from the digits of the former one alone, no
 * number of that form exists today, and the former numbers are out of service. So Metro Manila
 * (2019, by operator) and Brazilian numbers that begin with 7 (still in use with eight digits) have
 * none.
 *
 * The table is read wherever a number is parsed. Refused: variants of a number at each lookup. So rates
 * and `DESTINATION_PREFIXES` count by today's form: `+521` is no prefix of a number. A number that was
 * stored in a former form keeps it, and is found by that form.
 *
 * Sources: the plans of ITU-T E.164 by country ("Operational Bulletin", T0202); the recipes of
 * libphonenumber's migrator (`migrator/src/data/recipes.csv`) for Mexico, Brazil, Vietnam and
 * Gabon; and as named below.
 */

interface Row {
  /** Digits of a former number, with the country code. */
  former: RegExp;
  /** Those of the number today. */
  now: string;
}

const rows: Record<string, Row[]> = {
  // Mexico, 3 August 2019 (IFT): the 1 of mobiles from abroad is gone, as are 01, 044 and 045 within.
  "52": [{ former: /^52(?:1|01|04[45])(\d{10})$/, now: "52$1" }],
  // Brazil, 2012 to 6 November 2016 (Anatel, Resolução 553): mobiles of all areas begin with 9.
  "55": [{ former: /^55([1-9][1-9])([689]\d{7})$/, now: "55$19$2" }],
  // Colombia, 1 September 2021 (CRC, Resolución 5826): fixed numbers have 60 before their area. Some that
  // begin with 46 have eight digits still.
  "57": [{ former: /^57((?!46)[1-8]\d{7})$/, now: "5760$1" }],
  // Vietnam, 15 September 2018 (MIC): mobiles of ten digits after the 0 have nine, by operator.
  "84": [
    { former: /^8412([068]\d{7})$/, now: "847$1" },
    { former: /^84121(\d{7})$/, now: "8479$1" },
    { former: /^84122(\d{7})$/, now: "8477$1" },
    { former: /^8412([345]\d{7})$/, now: "848$1" },
    { former: /^84127(\d{7})$/, now: "8481$1" },
    { former: /^84129(\d{7})$/, now: "8482$1" },
    { former: /^8416([2-9]\d{7})$/, now: "843$1" },
    { former: /^8418([68]\d{7})$/, now: "845$1" },
    { former: /^84199(\d{7})$/, now: "8459$1" },
  ],
  // Ivory Coast, 31 January 2021 (ARTCI): two digits of the operator before the eight of mobiles (Moov 01,
  // MTN 05, Orange 07) and fixed numbers (Moov 21, MTN 25, Orange 27).
  "225": [
    { former: /^225((?:0[1-3]|[457][0-3])\d{6})$/, now: "22501$1" },
    { former: /^225([04-9][4-6]\d{6})$/, now: "22505$1" },
    { former: /^225([04-9][7-9]\d{6})$/, now: "22507$1" },
    { former: /^225(2[0-3]8\d{5})$/, now: "22521$1" },
    { former: /^225((?:2[0-4]|3[0-6])0\d{5})$/, now: "22525$1" },
    {
      former: /^225((?:20[23]|21[2357]|2[23][45]|24[345]|306|31[69]|3[234]7|359|368)\d{5})$/,
      now: "22527$1",
    },
  ],
  // Benin, 30 November 2024 (ARCEP): 01 before all numbers of eight digits.
  "229": [{ former: /^229([2-9]\d{7})$/, now: "22901$1" }],
  // Gabon, 26 June 2019 (ARCEP): the 0 of mobiles gave way to 6 or 7, that of fixed numbers to 1.
  "241": [
    { former: /^24101(\d{6})$/, now: "24111$1" },
    { former: /^2410([256]\d{6})$/, now: "2416$1" },
    { former: /^2410([47]\d{6})$/, now: "2417$1" },
  ],
};

/** Returns the number of today's plan that a number in E.164 form means: itself, if no plan has changed it. */
export function currentNumber(number: string): string {
  const digits = number.slice(1);
  const known = rows[digits.slice(0, 2)] ?? rows[digits.slice(0, 3)] ?? [];
  const row = known.find(({ former }) => former.test(digits));
  return row === undefined ? number : `+${digits.replace(row.former, row.now)}`;
}
