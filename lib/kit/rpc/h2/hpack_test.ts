import assert from "node:assert/strict";
import fc from "fast-check";
import { H2Error } from "./error.ts";
import { encodeHeaders, type Headers, hpackDecoder } from "./hpack.ts";
import { decodeHuffman } from "./huffman.ts";

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(" ", "").match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** A decoder of blocks up to a size, which throws for larger ones. */
function decoderOf(size: number): { decode(block: Uint8Array): Headers } {
  const decoder = hpackDecoder({ size, fields: 100 });
  return {
    decode(block) {
      const { headers } = decoder.decode(block);
      assert.ok(headers, "the block is within the limits");
      return headers;
    },
  };
}

Deno.test("the requests of RFC 7541 C.3 and C.4, which share a table, with and without Huffman", () => {
  const want: Headers[] = [
    [[":method", "GET"], [":scheme", "http"], [":path", "/"], [":authority", "www.example.com"]],
    [
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/"],
      [":authority", "www.example.com"],
      ["cache-control", "no-cache"],
    ],
    [
      [":method", "GET"],
      [":scheme", "https"],
      [":path", "/index.html"],
      [":authority", "www.example.com"],
      ["custom-key", "custom-value"],
    ],
  ];
  const plain = [
    "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
    "8286 84be 5808 6e6f 2d63 6163 6865",
    "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
  ];
  const huffman = [
    "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
    "8286 84be 5886 a8eb 1064 9cbf",
    "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
  ];
  for (const blocks of [plain, huffman]) {
    const decoder = decoderOf(1000);
    assert.deepEqual(blocks.map((block) => decoder.decode(hex(block))), want);
  }
});

Deno.test("an encoded header block decodes to itself", () => {
  const latin1 = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)),
  });
  const field = fc.tuple(fc.constantFrom(":path", "te", "x-own", "grpc-status"), latin1);
  fc.assert(fc.property(fc.array(field), (headers) => {
    assert.deepEqual(decoderOf(1e6).decode(encodeHeaders(headers)), headers);
  }));
});

Deno.test("entries leave the table when it is full, or made smaller", () => {
  const decoder = decoderOf(1e6);
  const literal = (name: string, size: number) => {
    const value = "v".repeat(size);
    return Uint8Array.from([
      0x40,
      name.length,
      ...new TextEncoder().encode(name),
      0x7f,
      ...(size - 127 < 128
        ? [size - 127]
        : [(size - 127) % 128 | 128, Math.floor((size - 127) / 128)]),
      ...new TextEncoder().encode(value),
    ]);
  };
  decoder.decode(literal("old", 3000));
  assert.equal(decoder.decode(hex("be"))[0]![0], "old");
  decoder.decode(literal("new", 3000));
  assert.equal(decoder.decode(hex("be"))[0]![0], "new");
  assert.throws(() => decoder.decode(hex("bf")), H2Error, "the old one had to go");
  decoder.decode(hex("20"));
  assert.throws(() => decoder.decode(hex("be")), H2Error, "a table of size 0 holds nothing");
});

Deno.test("malformed and oversized blocks are refused", () => {
  const cases: [name: string, block: string, code: string][] = [
    ["index 0", "80", "COMPRESSION_ERROR"],
    ["index beyond the table", "ff 00", "COMPRESSION_ERROR"],
    ["integer cut off", "ff 80", "COMPRESSION_ERROR"],
    ["integer of five bytes", "ff ff ff ff ff ff 0f", "COMPRESSION_ERROR"],
    ["string missing", "00", "COMPRESSION_ERROR"],
    ["string cut off", "00 05 61", "COMPRESSION_ERROR"],
    ["table too large", "3f e2 1f", "COMPRESSION_ERROR"],
    ["a size update behind a field", "82 20", "COMPRESSION_ERROR"],
    ["three size updates", "20 20 20 82", "COMPRESSION_ERROR"],
  ];
  for (const [name, block, code] of cases) {
    assert.throws(() => decoderOf(1000).decode(hex(block)), { code }, name);
  }
});

Deno.test("Huffman strings with wrong endings are refused", () => {
  const cases = [
    // Five zeros are "0"; three more are no padding.
    ["padding of zeros", "00"],
    // "a" is 00011; eleven ones are more than a byte.
    ["padding of more than seven ones", "1fff"],
    ["the symbol for the end", "ffff ffff"],
  ];
  for (const [name, text] of cases) {
    assert.throws(() => decodeHuffman(hex(text!)), { code: "COMPRESSION_ERROR" }, name);
  }
});

Deno.test("a block beyond a limit is decoded to its end, and the next one is right", () => {
  for (const limits of [{ size: 100, fields: 100 }, { size: 10_000, fields: 2 }]) {
    const decoder = hpackDecoder(limits);
    // Three indexed fields of 42 bytes, and one that enters the table.
    const block = decoder.decode(hex("82 82 82 4001 6101 62"));
    assert.deepEqual(block, { headers: undefined, size: 3 * 42 + 34 });
    assert.deepEqual(decoder.decode(hex("be")).headers, [["a", "b"]]);
  }
});
