import assert from "node:assert/strict";
import { type Head, HeadCollector, HeadScanner, MAX_HEAD } from "./head.ts";

const HEADS: [parts: string[], last: Head][] = [
  [["GET / HTTP/1.1\r\nHost: a\r\n\r\n"], "complete"],
  [["GET / HTTP/1.0\n\n"], "complete"],
  [["GET / HTTP/1.1\nHost: a\n\n"], "complete"],
  [["GET / HTTP/1.1\r\nHost: a\r\n\r\nbody"], "complete"],
  [["GET / HTTP/1.1\r\nHost: a\r\n", "\r\n"], "complete"],
  [["GET / HTTP/1.1\r\nHost: a\r", "\n\r", "\n"], "complete"],
  [["\r\n\r\n", "\r\nGET / HTTP/1.1\r\n\r\n"], "complete"],
  [["GET / HTTP/1.1\r\nHost: a\r\n"], "incomplete"],
  [["GET / HTTP/1.1\r\nHost: a\r\n\r"], "incomplete"],
  [["\r\n\r\n"], "incomplete"],
  [["GET", " /"], "incomplete"],
  [["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], "foreign"],
  [["PR", "I * HTTP/2.0\r\n"], "foreign"],
  [["\u0016\u0003\u0001\n"], "foreign"],
  [["GET /\r\n\r\n"], "foreign"],
  [["GET / HTTP/3\r\n\r\n"], "foreign"],
  [["x".repeat(MAX_HEAD + 1)], "too large"],
  [["GET / HTTP/1.1\r\nx: ", "x".repeat(MAX_HEAD)], "too large"],
];

for (const [parts, last] of HEADS) {
  Deno.test(`the headers ${JSON.stringify(parts).slice(0, 60)} are ${last}`, () => {
    const collector = new HeadCollector(new HeadScanner());
    const states = parts.map((part) => collector.add(new TextEncoder().encode(part)));
    assert.deepEqual(states, [...Array(parts.length - 1).fill("incomplete"), last]);
    const text = new TextDecoder().decode(collector.bytes);
    assert.equal(text, parts.join("").replace(/^[\r\n]+/, ""));
  });
}

const COUNTS: [text: string, heads: number][] = [
  ["", 0],
  ["GET / HTTP/1.1\r\nHost: a\r\n", 0],
  ["GET / HTTP/1.1\r\n\r\n", 1],
  ["GET / HTTP/1.1\n\n", 1],
  ["\r\n\r\nGET / HTTP/1.1\r\n\r\n\r\n\r\n", 1],
  ["GET / HTTP/1.1\r\na: \r\n\r\nGET / HTTP/1.1\n\n\nGET / HTTP/1.1\r\n", 2],
];

for (const [text, heads] of COUNTS) {
  Deno.test(`there are ${heads} complete headers in ${JSON.stringify(text)}`, () => {
    const whole = new HeadScanner();
    whole.add(new TextEncoder().encode(text));
    const split = new HeadScanner();
    for (const byte of new TextEncoder().encode(text)) split.add(Uint8Array.of(byte));
    assert.deepEqual([whole.heads, split.heads], [heads, heads]);
  });
}
