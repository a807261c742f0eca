/**
 * Buffers header blocks until they are complete, and checks them against the limits of Mesh's
 * HTTP/2. A short block of references to the table can expand to a large list, and the library
 * decodes a block before it checks the size.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { contentOf, FLAG, FRAME } from "../h2/frame.ts";
import { type HpackDecoder, hpackDecoder } from "../h2/hpack.ts";
import { MAX_BLOCK, MAX_FIELDS, MAX_HEADER_LIST } from "../h2/limits.ts";
import { Excess } from "./excess.ts";
import type { FrameHead } from "./inspect.ts";

/** Bytes of a frame's head. */
const HEAD = 9;

/** The limits of the header blocks of one client. */
export class HeaderLimits {
  /** It decodes all blocks of the connection, like the library's decoder. */
  readonly #decoder: HpackDecoder = hpackDecoder({ size: MAX_HEADER_LIST, fields: MAX_FIELDS });
  readonly #decoded: (bytes: number) => void;
  /** Pieces of the block that is not complete, of all its frames. */
  #held: Uint8Array[] = [];
  #block: Uint8Array[] = [];
  #blockSize = 0;
  /** The header frame that is under way, and its pieces. */
  #head: FrameHead | undefined;
  #frame: Uint8Array[] = [];
  #missing = 0;

  /** Creates a header check; `decoded` gets the size of each list. */
  constructor(decoded: (bytes: number) => void) {
    this.#decoded = decoded;
  }

  /** Bytes that are buffered, about. */
  get held(): number {
    return 2 * this.#blockSize;
  }

  /** A frame begins. Throws {@link Excess} for one inside of a header block. */
  begin(head: FrameHead): void {
    const isMore = head.type === FRAME.CONTINUATION;
    if (isMore !== this.#held.length > 0) throw new Excess("protocol");
    if (!isMore && head.type !== FRAME.HEADERS) return;
    this.#head = head;
    this.#missing = HEAD + head.size;
  }

  /** Takes a piece; returns those that may be passed on. Throws {@link Excess} or `H2Error`. */
  pass(piece: Uint8Array): Uint8Array[] {
    const head = this.#head;
    if (!head) return [piece];
    this.#frame.push(piece.slice());
    this.#missing -= piece.length;
    if (this.#missing > 0) return [];
    const bytes = Buffer.concat(this.#frame);
    this.#head = undefined;
    this.#frame = [];
    this.#held.push(bytes);
    return this.#complete(head, bytes.subarray(HEAD));
  }

  #complete(head: FrameHead, payload: Uint8Array): Uint8Array[] {
    const part = head.type === FRAME.HEADERS ? contentOf({ ...head, payload }) : payload;
    this.#block.push(part);
    this.#blockSize += part.length;
    if (this.#blockSize > MAX_BLOCK) throw new Excess("header-list");
    if ((head.flags & FLAG.END_HEADERS) === 0) return [];
    const { headers, size } = this.#decoder.decode(Buffer.concat(this.#block));
    this.#decoded(size);
    if (!headers) throw new Excess("header-list");
    const whole = this.#held;
    this.#held = [];
    this.#block = [];
    this.#blockSize = 0;
    return whole;
  }
}
