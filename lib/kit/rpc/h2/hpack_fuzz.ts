/**
 * Fuzz target: header blocks. Decoded fields encode to a block that decodes to the same fields.
 *
 * @module
 */
import assert from "node:assert/strict";
import { H2Error } from "./error.ts";
import { encodeHeaders, type HeaderBlock, hpackDecoder } from "./hpack.ts";

const LIMITS = { size: 16_384, fields: 128 };

/** Decodes an input as two header blocks. */
export function fuzz(input: Uint8Array): void {
  const decoder = hpackDecoder(LIMITS);
  const middle = input.length >> 1;
  for (const bytes of [input.subarray(0, middle), input.subarray(middle)]) {
    let block: HeaderBlock;
    try {
      block = decoder.decode(bytes);
    } catch (error) {
      assert.ok(error instanceof H2Error, String(error));
      return;
    }
    if (!block.headers) continue;
    const again = hpackDecoder(LIMITS).decode(encodeHeaders(block.headers));
    assert.deepEqual(again.headers, block.headers);
  }
}
