import assert from "node:assert/strict";
import type { Resource } from "../../graph/mod.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import { quarantine } from "./store.ts";
import type { Rejection, Stream } from "./types.ts";

const TYPE = TYPE_URLS.cluster;

function stream(account: string, number = 1): Stream {
  return {
    id: `${account}-${number}`,
    binding: { classKey: "{}" },
    node: { id: account, identity: `spiffe://cluster.local/ns/a/sa/${account}` },
    call: { peer: `10.0.0.${number}:1` },
  };
}

const resource = (name: string, version = "1"): Resource => ({
  name,
  version,
  bytes: new Uint8Array(),
});

const rejection = (of: Stream, name: string, more: Partial<Rejection> = {}): Rejection => ({
  stream: of,
  typeUrl: TYPE,
  resource: resource(name),
  before: undefined,
  message: "no",
  culprits: [],
  together: [],
  ...more,
});

Deno.test("a client that rejects very many names drops its own records, and not those of others", () => {
  const store = quarantine(() => 0);
  const [honest, liar, second] = [stream("honest"), stream("liar"), stream("liar", 2)];
  store.reject(rejection(honest, "mine"));
  for (let i = 0; i < 60_000; i++) store.reject(rejection(i % 2 ? liar : second, `n${i}`));
  assert.ok(store.screen(honest, TYPE)!.holds(resource("mine")));
  assert.equal(store.screen(second, TYPE)!.holds(resource("n0")), undefined);
  assert.ok(store.screen(liar, TYPE)!.holds(resource("n59999")));
  for (const one of [liar, second]) store.leave(one);
  assert.deepEqual(store.list().map(({ name }) => name), ["mine"]);
});

Deno.test("retries of a client that rejects little come before those of one that rejects much", () => {
  let now = 0;
  const store = quarantine(() => now);
  const [honest, liar] = [stream("honest"), stream("liar")];
  for (let i = 0; i < 1000; i++) store.reject(rejection(liar, `n${i}`));
  for (const one of [liar, honest]) store.reject(rejection(one, "mine"));
  now += 60_000;
  const due = store.due();
  assert.deepEqual([due.length, due[0]!.name], [1001, "mine"]);
});

Deno.test("messages are remembered in part", () => {
  const store = quarantine(() => 0);
  store.reject(rejection(stream("a"), "x", { message: "m".repeat(1_000_000) }));
  assert.equal(store.list()[0]!.message.length, 4096);
});

Deno.test("an entry without holders gives new proxies the version before for half an hour", () => {
  let now = 0;
  const store = quarantine(() => now);
  const [first, late] = [stream("a"), stream("b")];
  store.reject(rejection(first, "x", { before: resource("x", "0") }));
  store.leave(first);
  assert.deepEqual(store.list(), []);
  assert.equal(store.reject(rejection(late, "x"))?.version, "0");
  store.leave(late);
  while (store.size > 0) {
    now += 60_000;
    assert.ok(now <= 61 * 60_000);
    for (const entry of store.due()) store.tryAgain(entry, []);
  }
  assert.equal(store.reject(rejection(stream("c"), "x")), undefined);
});
