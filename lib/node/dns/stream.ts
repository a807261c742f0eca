/**
 * DNS messages on a TCP connection: each has its length, two bytes, before it (RFC 1035, section 4.2.2).
 *
 * @module
 */

/** A connection to read from and write to. */
export type Connection = Pick<Deno.TcpConn, "read" | "write">;

/** Reads a message; `undefined` at the end of the connection, and for a message that is too large. */
export async function readMessage(
  connection: Connection,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const head = await readBytes(connection, 2);
  if (head === undefined) return undefined;
  const length = (head[0]! << 8) | head[1]!;
  return length === 0 || length > maxBytes ? undefined : await readBytes(connection, length);
}

async function readBytes(connection: Connection, count: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(count);
  let at = 0;
  while (at < count) {
    const read = await connection.read(bytes.subarray(at));
    if (read === null) return undefined;
    at += read;
  }
  return bytes;
}

export async function writeMessage(connection: Connection, message: Uint8Array): Promise<void> {
  const framed = new Uint8Array(message.length + 2);
  framed[0] = message.length >> 8;
  framed[1] = message.length & 0xff;
  framed.set(message, 2);
  let at = 0;
  while (at < framed.length) at += await connection.write(framed.subarray(at));
}
