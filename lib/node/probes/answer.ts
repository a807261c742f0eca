/**
 * The start of an application's answer to a probe.
 *
 * @module
 */
import type { ClientRequest, IncomingMessage } from "node:http";

/** Status, and at most {@link MAX_BODY_BYTES} of the body. */
export interface StartedAnswer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Bytes of the application's body that the caller gets. */
export const MAX_BODY_BYTES: number = 10 * 1024;

/** Sends a request without a body, and reads the start of the answer. */
export async function startOf(request: ClientRequest): Promise<StartedAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
    request.end();
  });
  return { status: response.statusCode ?? 0, body: await bodyStart(response) };
}

async function bodyStart(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const start = new Uint8Array(MAX_BODY_BYTES);
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    const part = chunk.subarray(0, MAX_BODY_BYTES - size);
    start.set(part, size);
    size += part.byteLength;
    if (size === MAX_BODY_BYTES) break;
  }
  return start.subarray(0, size);
}
