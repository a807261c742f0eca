/**
 * Decodes the Huffman code of HTTP/2 header strings, RFC 7541 appendix B. There is no encoder:
 * strings are sent as plain literals, which every peer accepts.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { H2Error } from "./error.ts";

/**
 * Code lengths in bits of the symbols 0 to 256, run-length encoded: a length, then the number of
 * consecutive symbols that have it. The code is canonical, so the lengths determine its words.
 */
// deno-fmt-ignore
const LENGTHS: readonly number[] = [
  13, 1, 23, 1, 28, 7, 24, 1, 30, 1, 28, 2, 30, 1, 28, 8, 30, 1, 28, 9, 6, 1, 10, 2, 12, 1, 13, 1,
  6, 1, 8, 1, 11, 1, 10, 2, 8, 1, 11, 1, 8, 1, 6, 3, 5, 3, 6, 7, 7, 1, 8, 1, 15, 1, 6, 1, 12, 1,
  10, 1, 13, 1, 6, 1, 7, 22, 8, 1, 7, 1, 8, 1, 13, 1, 19, 1, 13, 1, 14, 1, 6, 1, 15, 1, 5, 1, 6, 1,
  5, 1, 6, 1, 5, 1, 6, 3, 5, 1, 7, 2, 6, 3, 5, 1, 6, 1, 7, 1, 6, 1, 5, 2, 6, 1, 7, 5, 15, 1, 11, 1,
  14, 1, 13, 1, 28, 1, 20, 1, 22, 1, 20, 2, 22, 3, 23, 1, 22, 1, 23, 5, 24, 1, 23, 1, 24, 2, 22, 1,
  23, 1, 24, 1, 23, 4, 21, 1, 22, 1, 23, 1, 22, 1, 23, 2, 24, 1, 22, 1, 21, 1, 20, 1, 22, 2, 23, 2,
  21, 1, 23, 1, 22, 2, 24, 1, 21, 1, 22, 1, 23, 2, 21, 2, 22, 1, 21, 1, 23, 1, 22, 1, 23, 2, 20, 1,
  22, 3, 23, 1, 22, 2, 23, 1, 26, 2, 20, 1, 19, 1, 22, 1, 23, 1, 22, 1, 25, 1, 26, 3, 27, 2, 26, 1,
  24, 1, 25, 1, 19, 1, 21, 1, 26, 1, 27, 2, 26, 1, 27, 1, 24, 1, 21, 2, 26, 2, 28, 1, 27, 3, 20, 1,
  24, 1, 20, 1, 21, 1, 22, 1, 21, 2, 23, 1, 22, 2, 25, 2, 24, 2, 26, 1, 23, 1, 26, 1, 27, 1, 26, 2,
  27, 5, 28, 1, 27, 5, 26, 1, 30, 1,
];

const END_OF_STRING = 256;

/**
 * The code as a binary tree in one array: node n has its children at 2n and 2n+1; a child is
 * another node, or the complement of a symbol.
 */
const TREE: Int16Array = buildTree();

function buildTree(): Int16Array {
  const lengths: number[] = [];
  for (let i = 0; i < LENGTHS.length; i += 2) {
    for (let n = 0; n < LENGTHS[i + 1]!; n++) lengths.push(LENGTHS[i]!);
  }
  const symbols = lengths.map((_, symbol) => symbol)
    .sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const tree = new Int16Array(2 * lengths.length);
  let nodes = 1;
  let code = 0;
  let length = 0;
  for (const symbol of symbols) {
    code *= 2 ** (lengths[symbol]! - length);
    length = lengths[symbol]!;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * node + Math.floor(code / 2 ** bit) % 2;
      if (tree[at] === 0) tree[at] = nodes++;
      node = tree[at]!;
    }
    tree[2 * node + code % 2] = ~symbol;
    code++;
  }
  return tree;
}

/** Bits of the shortest code word: a byte holds at most 8 / 5 symbols. */
const SHORTEST = 5;

/** Decodes a string. Throws `H2Error` COMPRESSION_ERROR for what no encoder may write. */
export function decodeHuffman(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.floor((bytes.length * 8) / SHORTEST));
  let size = 0;
  let node = 0;
  /** Bits since the last symbol. Padding is at most seven ones, RFC 7541 section 5.2. */
  let bits = 0;
  let ones = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      const next = TREE[2 * node + one]!;
      bits++;
      ones &&= one === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      const symbol = ~next;
      if (symbol === END_OF_STRING) throw malformed();
      text[size++] = symbol;
      node = bits = 0;
      ones = true;
    }
  }
  if (bits > 7 || !ones) throw malformed();
  return text.toString("latin1", 0, size);
}

function malformed(): H2Error {
  return new H2Error("COMPRESSION_ERROR", "a Huffman string is malformed");
}
