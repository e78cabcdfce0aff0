/** Fields of every record. Dates are in ms. */
export interface Base {
  sid: string;
  accountSid: string;
  dateCreated: number;
  dateUpdated: number;
}
