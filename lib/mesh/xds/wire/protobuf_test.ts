import assert from "node:assert/strict";
import fc from "fast-check";
import {
  concat,
  delimited,
  FieldReader,
  textOf,
  textSize,
  varintSize,
  writeText,
  writeVarint,
} from "./protobuf.ts";

Deno.test("numbers of any size up to 2^53 go out and come back", () => {
  fc.assert(fc.property(fc.maxSafeNat(), (value) => {
    const bytes = new Uint8Array(1 + varintSize(value));
    bytes[0] = 8;
    assert.equal(writeVarint(bytes, 1, value), bytes.length);
    const field = new FieldReader(bytes);
    assert.ok(field.next());
    assert.deepEqual([field.number, field.value], [1, value]);
    assert.equal(field.next(), false);
  }));
});

Deno.test("fields of every kind are distinguished", () => {
  const bytes = concat(
    delimited(3, "name"),
    Uint8Array.of(0x11, 1, 2, 3, 4, 5, 6, 7, 8),
    Uint8Array.of(0x1d, 1, 2, 3, 4),
    Uint8Array.of(0x20, 0xac, 0x02),
    delimited(5, new Uint8Array(200)),
  );
  const read: string[] = [];
  for (const field = new FieldReader(bytes); field.next();) {
    const { number, value, start, end } = field;
    read.push(`${number} ${value} ${end - start}`);
    if (number === 3 && end > start) assert.equal(textOf(bytes, start, end), "name");
  }
  assert.deepEqual(read, ["3 0 4", "2 0 0", "3 0 0", "4 300 0", "5 0 200"]);
});

Deno.test("whatever bytes come, they are fields or an error that says so", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    try {
      for (const field = new FieldReader(bytes); field.next();) {
        assert.ok(field.start <= field.end && field.end <= bytes.length);
      }
    } catch (error) {
      assert.equal((error as { code?: string }).code, "wire-malformed");
    }
  }));
});

Deno.test("texts of any script take the room that is counted, and read back", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(3), (text, at) => {
    const whole = text.toWellFormed();
    const size = textSize(whole);
    const bytes = new Uint8Array(at + size + 1);
    assert.equal(writeText(bytes, at, whole, size), at + size);
    assert.equal(textOf(bytes, at, at + size), whole);
    assert.equal(bytes[at + size], 0, "nothing behind it is touched");
  }));
});
