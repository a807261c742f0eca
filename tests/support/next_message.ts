/**
 * Waiting for messages of streams.
 *
 * @module
 */
import { endsWithin } from "../../lib/kit/async/mod.ts";

/** Longest wait for a message, in milliseconds: a test that hangs says what it waited for. */
export const MESSAGE_MS = 120_000;

/**
 * Returns the next message of a stream.
 *
 * @throws Error if the stream ended, or after {@linkcode MESSAGE_MS}
 */
export async function nextMessage<T>(messages: AsyncIterator<T>): Promise<T> {
  const message = messages.next();
  if (!await endsWithin(MESSAGE_MS, message)) {
    throw new Error(`no message of the stream within ${MESSAGE_MS} ms`);
  }
  const { value, done } = await message;
  if (done === true) throw new Error("the stream ended");
  return value;
}
