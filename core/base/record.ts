/** What every record has. Dates are in ms. */
export interface Base {
  sid: string;
  accountSid: string;
  dateCreated: number;
  dateUpdated: number;
}
