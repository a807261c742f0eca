import type { IncomingMessage } from "node:http";

/** Why a body was not read; the listener answers with the status. */
export class BodyError extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads a body as UTF-8. The length that a client declares is checked first, the bytes that come
 * are counted all the same.
 *
 * @throws {BodyError} 413 beyond `maxBytes`, 400 when it ends early or is not UTF-8.
 */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = () => new BodyError(413, `the body is larger than ${maxBytes} bytes`);
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let body = "";
  try {
    for await (const part of message as AsyncIterable<Uint8Array>) {
      size += part.byteLength;
      if (size > maxBytes) throw tooLarge();
      body += decoder.decode(part, { stream: true });
    }
    return body + decoder.decode();
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, "the body is not complete or not UTF-8");
  }
}
