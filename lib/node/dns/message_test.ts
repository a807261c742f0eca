import assert from "node:assert/strict";
import fc from "fast-check";
import { isResponseTo, type Query, readQuery, writeAnswer } from "./message.ts";
import { addressBytes } from "./record.ts";
import { decode, makeQuery, respond } from "../../../tests/support/dns_client.ts";

function queryOf(bytes: Uint8Array): Query {
  const query = readQuery(bytes);
  assert.ok(!("kind" in query), JSON.stringify(query));
  return query;
}

Deno.test("dns: a query is read", () => {
  const query = queryOf(makeQuery("Far.Test", "AAAA", { id: 7, udpBytes: 4096 }));
  const { question: _, ...rest } = query;
  assert.deepEqual(rest, {
    id: 7,
    recursionDesired: true,
    name: "far.test",
    type: 28,
    internet: true,
    udpBytes: 1232,
    edns: true,
  });
});

const name = (...bytes: number[]): number[] => bytes;
const message = (
  question: readonly number[],
  counts: readonly number[] = [0, 1, 0, 0, 0, 0, 0, 0],
) => Uint8Array.of(0, 9, 1, 0, ...counts, ...question);

/** Messages that are refused, with the response code; `undefined`: without an answer. */
const BAD: readonly [what: string, bytes: Uint8Array, rcode: number | undefined][] = [
  ["empty", new Uint8Array(), undefined],
  ["shorter than a header", new Uint8Array(11), undefined],
  ["a response", respond(makeQuery("a.test", "A"), "1.2.3.4"), undefined],
  ["an update", Uint8Array.from(makeQuery("a.test", "A"), (b, i) => i === 2 ? 0x28 : b), 4],
  ["no question", message([], [0, 0, 0, 0, 0, 0, 0, 0]), 1],
  ["two questions", message([0, 0, 1, 0, 1, 0, 0, 1, 0, 1], [0, 2, 0, 0, 0, 0, 0, 0]), 1],
  ["a pointer to itself", message([0xc0, 12, 0, 1, 0, 1]), 1],
  ["a pointer after a label", message([1, 97, 0xc0, 12, 0, 1, 0, 1]), 1],
  ["a pointer beyond the end", message([0xff, 0xff, 0, 1, 0, 1]), 1],
  ["a label of a reserved kind", message([0x40, 97, 0, 0, 1, 0, 1]), 1],
  ["a name without an end", message(name(3, 97, 97)), 1],
  ["a name without a type", message([1, 97, 0]), 1],
  ["a name of 300 bytes", message([...Array(150).fill([1, 97]).flat(), 0, 0, 1, 0, 1]), 1],
  ["a record that is missing", message([0, 0, 1, 0, 1], [0, 1, 0, 0, 0, 0, 0, 1]), 1],
  ["60,000 records", message([0, 0, 1, 0, 1], [0, 1, 0xea, 0x60, 0, 0, 0, 0]), 1],
  [
    "a record beyond the end",
    message([0, 0, 1, 0, 1, 0, 0, 41, 2, 0, 0, 0, 0, 0, 255, 255], [0, 1, 0, 0, 0, 0, 0, 1]),
    1,
  ],
];

for (const [what, bytes, rcode] of BAD) {
  Deno.test(`dns: refused: ${what}`, () => {
    const refusal = readQuery(bytes);
    assert.ok("kind" in refusal);
    if (rcode === undefined) assert.equal(refusal.kind, "drop");
    else {
      assert.ok(refusal.kind === "refuse");
      assert.deepEqual([refusal.reply.length, refusal.reply[3]! & 0xf], [12, rcode]);
      assert.deepEqual([...refusal.reply.subarray(0, 2)], [...bytes.subarray(0, 2)]);
      assert.ok(refusal.reply[2]! & 0x80, "it is a response");
    }
  });
}

Deno.test("dns: any bytes are read without an exception", () => {
  const bytes = fc.uint8Array({ maxLength: 600 });
  const changed = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(40)).map(([noise, at]) => {
    const query = makeQuery("some.host.test", "A", { udpBytes: 1232 });
    query.set(noise.subarray(0, Math.max(0, query.length - at)), Math.min(at, query.length));
    return query;
  });
  fc.assert(fc.property(fc.oneof(bytes, changed), (input) => {
    const query = readQuery(input);
    if (!("kind" in query)) writeAnswer(query, { rcode: 0, addresses: ["::1"], ttl: 1 }, 512);
  }));
});

Deno.test("dns: labels that are no host names are not looked up", () => {
  const dotted = message([3, 97, 46, 98, 0, 0, 1, 0, 1]);
  assert.equal(queryOf(dotted).name, undefined, "a dot within a label");
  assert.equal(queryOf(message([1, 0, 0, 0, 1, 0, 1])).name, undefined);
  assert.equal(queryOf(message([0, 0, 1, 0, 1])).name, "", "the root");
});

Deno.test("dns: an answer has an alias and addresses", () => {
  const query = queryOf(makeQuery("FAR.test.search", "A", { udpBytes: 1232 }));
  const bytes = writeAnswer(query, {
    rcode: 0,
    alias: "far.test",
    addresses: ["10.0.0.1", "10.0.0.2"],
    ttl: 30,
  }, 1232);
  assert.deepEqual(decode(bytes), {
    id: 0x1234,
    rcode: 0,
    truncated: false,
    recursionAvailable: true,
    edns: true,
    records: [
      "FAR.test.search CNAME 30 far.test",
      "far.test A 30 10.0.0.1",
      "far.test A 30 10.0.0.2",
    ],
  });
});

Deno.test("dns: an answer that does not fit is cut and says so", () => {
  const addresses = Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`);
  const query = queryOf(makeQuery("far.test", "A"));
  const bytes = writeAnswer(query, { rcode: 0, addresses, ttl: 30 }, query.udpBytes);
  const { truncated, records } = decode(bytes);
  assert.ok(bytes.length <= 512 && truncated && records.length > 20, `${bytes.length}`);
});

const ADDRESSES: readonly [string, string][] = [
  ["10.1.2.3", "0a010203"],
  ["::", "0".repeat(32)],
  ["::1", "0".repeat(31) + "1"],
  ["2001:db8::a:b", "20010db80000000000000000000a000b"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["fe80::", "fe80" + "0".repeat(28)],
];

for (const [address, hex] of ADDRESSES) {
  Deno.test(`dns: the bytes of ${address}`, () => {
    assert.equal(addressBytes(address).toHex(), hex);
  });
}

Deno.test("dns: a response belongs to a query by id and question", () => {
  const sent = makeQuery("Far.Test", "A", { id: 5 });
  const { question } = queryOf(sent);
  assert.ok(isResponseTo(respond(makeQuery("far.tesT", "A", { id: 5 }), "1.2.3.4"), 5, question));
  assert.ok(!isResponseTo(respond(sent, "1.2.3.4"), 6, question), "another id");
  assert.ok(!isResponseTo(respond(makeQuery("other.tes", "A", { id: 5 }), 0), 5, question));
  assert.ok(!isResponseTo(respond(makeQuery("Far.Test", "AAAA", { id: 5 }), 0), 5, question));
  assert.ok(!isResponseTo(sent, 5, question), "a query");
  assert.ok(!isResponseTo(new Uint8Array(5), 0, question), "too short");
});
