/**
 * Sending an answer no faster than its client takes it, within the memory of a slot.
 *
 * @module
 */
import { withDeadline } from "./deadline.ts";
import type { Slot } from "./slots.ts";

/** Size of the pieces in which an answer is handed to the runtime, bytes. */
const PIECE = 16_384;

/** Thrown when an answer does not fit into the memory for pending answers. */
export class NoRoomError extends Error {}

/** The options of {@link deliver}. */
export interface DeliverOptions {
  /** The request asks for headers only. */
  readonly headersOnly: boolean;
  /** Time for the first part of the body, milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the client left. */
  readonly ended: AbortSignal;
}

/**
 * Wraps a response so that its body is written piece by piece, as the client reads.
 *
 * @throws {NoRoomError} if the body does not fit into memory with the other pending responses; a
 * `TimeoutError` if the body does not begin in time.
 */
export async function deliver(
  answer: Response,
  slot: Slot,
  { headersOnly, timeoutMs, ended }: DeliverOptions,
): Promise<Response> {
  const { body, status, headers } = answer;
  if (body === null || headersOnly) {
    body?.cancel().catch(() => {});
    return new Response(null, { status, headers });
  }
  const source = body.getReader();
  try {
    // The first part is waited for here, because without room for it the status is another one.
    const first = await withDeadline(timeoutMs, ended, () => source.read());
    if (!first.done && !slot.hold(first.value.byteLength)) throw new NoRoomError();
    return new Response(pieces(source, first, slot), { status, headers });
  } catch (error) {
    source.cancel(error).catch(() => {});
    throw error;
  }
}

type Part = ReadableStreamReadResult<Uint8Array<ArrayBuffer>>;

/** The parts of `source`, from `first` on, cut into pieces. */
function pieces(
  source: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  first: Part,
  slot: Slot,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let part: Part = first;
  let sent = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (!part.done && sent === part.value.byteLength) {
        part = await source.read();
        sent = 0;
        if (!part.done && !slot.hold(part.value.byteLength)) throw new NoRoomError();
      }
      if (part.done) return controller.close();
      const piece = part.value.subarray(sent, sent + PIECE);
      sent += piece.byteLength;
      controller.enqueue(piece);
    },
    cancel(reason) {
      part = { done: true, value: undefined };
      return source.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
