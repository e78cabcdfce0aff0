/** The whole body of an answer; an Error when it is longer than `maxBytes`. */
export async function readBody(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const declaredBytes = Number(response.headers.get("content-length"));
  if (declaredBytes > maxBytes) {
    await response.body?.cancel();
    throw new Error(`it is longer than ${maxBytes} bytes`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
