/**
 * Requests that the console makes of this process: they are no use of the credentials that they
 * have.
 */
export const ownRequests = new WeakSet<Request>();
