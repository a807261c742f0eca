import assert from "node:assert/strict";
import { frameMessage, messageReader } from "./message.ts";
import { BUFFER_UNIT, lendBuffer, recycleBuffer, takeBuffer } from "./buffer_pool.ts";

function read(content: Uint8Array): Uint8Array {
  const reader = messageReader(8 * 1024 * 1024);
  const messages = frameMessage(content, content.length).flatMap((part) => reader.push(part));
  assert.equal(messages.length, 1);
  return messages[0]!;
}

Deno.test("memory of a message that was given back holds the next one, and nothing of the first", () => {
  const first = read(new Uint8Array(3 * BUFFER_UNIT + 5).fill(1));
  assert.deepEqual(first, new Uint8Array(3 * BUFFER_UNIT + 5).fill(1));
  recycleBuffer(first);
  const second = read(new Uint8Array(3 * BUFFER_UNIT + 1).fill(2));
  assert.equal(second.buffer, first.buffer);
  assert.deepEqual(second, new Uint8Array(3 * BUFFER_UNIT + 1).fill(2));
  const third = read(new Uint8Array(3 * BUFFER_UNIT + 1).fill(3));
  assert.notEqual(third.buffer, second.buffer, "the second is in use");
  assert.deepEqual(second, new Uint8Array(3 * BUFFER_UNIT + 1).fill(2));
});

Deno.test("memory is given back once, and only what was lent", () => {
  const room = takeBuffer(2 * BUFFER_UNIT);
  recycleBuffer(room.subarray(7));
  recycleBuffer(room);
  assert.equal(takeBuffer(2 * BUFFER_UNIT).buffer, room.buffer);
  assert.notEqual(takeBuffer(2 * BUFFER_UNIT).buffer, room.buffer);
  const own = new Uint8Array(BUFFER_UNIT);
  recycleBuffer(own);
  assert.notEqual(takeBuffer(BUFFER_UNIT).buffer, own.buffer);
  assert.equal(takeBuffer(2 * 1024 * 1024).length, 2 * 1024 * 1024, "large ones are as asked for");
});

Deno.test("no more than 8 MiB are kept", () => {
  const rooms = Array.from({ length: 10 }, () => takeBuffer(1024 * 1024));
  for (const room of rooms) recycleBuffer(room);
  const kept = new Set(rooms.map(({ buffer }) => buffer));
  const again = Array.from({ length: 10 }, () => takeBuffer(1024 * 1024));
  assert.ok(again.filter(({ buffer }) => kept.has(buffer)).length <= 8);
});

Deno.test("memory beyond what is kept is freed at once", () => {
  const rooms = Array.from({ length: 10 }, () => takeBuffer(2 * 1024 * 1024));
  for (const room of rooms) recycleBuffer(room);
  assert.ok(rooms.filter(({ buffer }) => (buffer as ArrayBuffer).detached).length >= 6);
  const own = new Uint8Array(3 * BUFFER_UNIT);
  recycleBuffer(own);
  assert.equal(own.length, 3 * BUFFER_UNIT, "it was not lent");
  lendBuffer(own.subarray(5));
  const odd = new Uint8Array(BUFFER_UNIT + 5);
  lendBuffer(odd);
  recycleBuffer(odd);
  assert.equal(odd.length, 0, "its size fits no other message");
});
