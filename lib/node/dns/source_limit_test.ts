import assert from "node:assert/strict";
import { askTcp, decode, makeQuery, respond } from "../../../tests/support/dns_client.ts";
import { createSocket } from "node:dgram";
import { isTruncated } from "./message.ts";
import { listenDns } from "./server.ts";
import { ANSWERS_PER_SECOND, BURST, createSourceLimit, type Verdict } from "./source_limit.ts";

const nobody = () => false;

function count(limit: (address: string) => Verdict, address: string, times: number) {
  const counts = { answer: 0, truncate: 0, drop: 0 };
  for (let i = 0; i < times; i++) counts[limit(address)]++;
  return counts;
}

Deno.test("a source gets a burst, then a rate; of the rest every second query is told to use TCP", () => {
  let time = 0;
  const limit = createSourceLimit({ isOwn: nobody, now: () => time });
  assert.deepEqual(count(limit, "192.0.2.1", BURST + 100), {
    answer: BURST,
    truncate: 50,
    drop: 50,
  });
  assert.equal(limit("192.0.2.2"), "answer", "another source");
  time = 1000;
  assert.equal(count(limit, "192.0.2.1", BURST).answer, ANSWERS_PER_SECOND);
  time = 3_600_000;
  assert.equal(count(limit, "192.0.2.1", 2 * BURST).answer, BURST, "tokens do not pile up");
});

Deno.test("addresses of one IPv6 network share a limit, and those of this host have none", () => {
  const limit = createSourceLimit({ isOwn: (address) => address === "127.0.0.1", now: () => 0 });
  assert.equal(count(limit, "127.0.0.1", 10 * BURST).answer, 10 * BURST);
  count(limit, "2001:db8::1", BURST);
  for (const address of ["2001:db8::2", "2001:db8:0:0:ffff::1", "2001:db8:0:0::"]) {
    assert.notEqual(limit(address), "answer", address);
  }
  assert.equal(limit("2001:db8:0:1::1"), "answer", "another network");
  count(limit, "192.0.2.9", BURST);
  assert.notEqual(limit("::ffff:192.0.2.9"), "answer");
});

Deno.test("many sources take bounded memory", () => {
  const limit = createSourceLimit({ isOwn: nobody, now: () => 0 });
  count(limit, "192.0.2.1", BURST);
  assert.notEqual(limit("192.0.2.1"), "answer");
  for (let i = 0; i < 10_000; i++) limit(`10.0.${i >> 8}.${i & 255}`);
  assert.equal(limit("192.0.2.1"), "answer", "it was forgotten");
});

Deno.test("a flood over UDP gets few answers, TCP is not limited", async () => {
  const listeners = await listenDns({
    hosts: ["127.0.0.1"],
    port: 0,
    resolve: (message) => Promise.resolve(respond(message, "192.0.2.1")),
    limit: createSourceLimit({ isOwn: nobody, now: () => 0 }),
  });
  const socket = createSocket("udp4");
  const received: boolean[] = [];
  const enough = Promise.withResolvers<void>();
  // UDP loses messages under load, so queries go on until a truncated answer was seen.
  socket.on("message", (answer: Uint8Array) => {
    received.push(isTruncated(answer));
    if (received.at(-1)) enough.resolve();
  });
  const query = makeQuery("far.test", "A");
  const flood = setInterval(() => {
    for (let i = 0; i < 50; i++) socket.send(query, listeners.port, "127.0.0.1");
  }, 5);
  await enough.promise;
  clearInterval(flood);
  assert.ok(received.filter((truncated) => !truncated).length <= BURST);
  const answer = await askTcp(listeners.port, query);
  assert.deepEqual(decode(answer!).records, ["far.test A 60 192.0.2.1"]);
  await new Promise<void>((done) => socket.close(() => done()));
  await listeners.stop();
});
