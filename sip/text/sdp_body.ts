/** The body of a message that offers or answers a session (RFC 3264), as the library takes it. */
export const sdpBody = (content: string) => ({
  contentDisposition: "session",
  contentType: "application/sdp",
  content,
});
