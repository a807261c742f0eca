import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { expose } from "../../../kit/metrics/mod.ts";
import { named } from "../quarantine/nack_message.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, listener: LDS, route: RDS } = TYPE_URLS;

const text = new TextDecoder();

/** A client like Envoy: it rejects content that ends with `bad`, and keeps its previous version. */
interface Picky {
  /** Content by name. */
  readonly holds: Map<string, string>;
  /** Responses it saw. */
  readonly seen: DeltaDiscoveryResponse[];
  /** Everything on its way is taken in. */
  settle(): Promise<void>;
  close(): void;
}

function picky(
  w: World,
  typeUrl: string,
  name: string,
  { names = [], namespace = "default" }: {
    readonly names?: readonly string[];
    readonly namespace?: string;
  } = {},
): Picky {
  const proxy = w.delta({ name, namespace });
  const holds = new Map<string, string>();
  const seen: DeltaDiscoveryResponse[] = [];
  const inParts = typeUrl === CDS || typeUrl === LDS;
  proxy.send({ typeUrl, resourceNamesSubscribe: [...names] });
  const absorb = (response: DeltaDiscoveryResponse) => {
    seen.push(response);
    const contents = response.resources.map(({ name, resource }) =>
      [name, text.decode(resource!.value)] as const
    );
    const bad = contents.filter(([, content]) => content.endsWith("bad")).map(([name]) => name);
    for (const [name, content] of contents) {
      if (bad.length === 0 || (inParts && !bad.includes(name))) holds.set(name, content);
    }
    for (const name of response.removedResources) holds.delete(name);
    const list = `Error adding/updating cluster(s) ${bad.map((one) => `${one}: no`).join(", ")}`;
    if (bad.length === 0) proxy.answer(response);
    else proxy.answer(response, inParts ? list : "one of them cannot be");
  };
  return {
    holds,
    seen,
    async settle() {
      for (let idle = 0; idle < 2;) {
        const before = await proxy.quiet();
        for (const response of before) absorb(response);
        idle = before.length > 0 ? 0 : idle + 1;
      }
    },
    close: () => proxy.close(),
  };
}

async function gauge(): Promise<number> {
  const { body } = await expose();
  const line = new TextDecoder().decode(new TextEncoder().encode(String(body)))
    .match(/^mesh_xds_quarantined\{type="cds"\} (\d+)$/m);
  return Number(line?.[1] ?? 0);
}

Deno.test("quarantine: a NACK keeps the last accepted version, other resources are sent, and a repaired version is sent at once", async () => {
  // Rejections of other tests are counted still.
  const others = await gauge();
  await using w = await world([CDS], {}, {
    culprits: (_, name) => [{ object: `Thing/default/${name}`, generation: 2 }],
  });
  w.set(CDS, { a: "a1", b: "b1" });
  w.publish();
  const one = picky(w, CDS, "one");
  await one.settle();
  w.set(CDS, { a: "a2", b: "b bad", c: "c bad", d: "d1" });
  w.publish();
  await one.settle();
  assert.deepEqual([...one.holds], [["a", "a2"], ["b", "b1"], ["d", "d1"]]);
  const [b, c] = w.xds.quarantined();
  assert.deepEqual([b!.name, b!.streams, b!.rejectedBy, b!.culprits], [
    "b",
    ["one.default-1"],
    ["127.0.0.1 sidecar~10.0.0.1~one.default~default.svc.cluster.local"],
    [{ object: "Thing/default/b", generation: 2 }],
  ]);
  assert.match(b!.message, /adding\/updating cluster\(s\) b/);
  assert.equal(text.decode(b!.lastGood!.bytes), "b1");
  assert.deepEqual([c!.name, c!.lastGood], ["c", undefined]);
  assert.equal(await gauge() - others, 2);
  assert.equal(w.xds.sessions()[0]!.types[0]!.state, "ERROR");

  const two = picky(w, CDS, "two");
  await two.settle();
  assert.deepEqual([...two.holds].sort(), [["a", "a2"], ["b", "b1"], ["d", "d1"]]);
  const said = two.seen.flatMap(({ resources }) =>
    resources.map((r) => text.decode(r.resource!.value))
  );
  // It answers for itself, once.
  assert.deepEqual(said.filter((content) => content.endsWith("bad")).sort(), ["b bad", "c bad"]);

  w.set(CDS, { a: "a3" });
  w.publish();
  await one.settle();
  assert.deepEqual(one.seen.at(-1)!.resources.map(({ name }) => name), ["a"], "not sent again");

  w.set(CDS, { b: "b2" });
  w.publish();
  await Promise.all([one.settle(), two.settle()]);
  assert.deepEqual([one.holds.get("b"), two.holds.get("b")], ["b2", "b2"]);
  assert.deepEqual(w.xds.quarantined().map(({ name }) => name), ["c"]);
  w.set(CDS, { c: undefined });
  w.publish();
  await one.settle();
  assert.deepEqual(w.xds.quarantined(), []);
  assert.equal(await gauge() - others, 0);
  one.close();
  two.close();
});

Deno.test("quarantine: a resource that the client does not name is found by bisection, and the others arrive", async () => {
  await using w = await world([RDS]);
  const names = Array.from({ length: 60 }, (_, i) => `r${i}`);
  w.set(RDS, Object.fromEntries(names.map((name) => [name, name === "r41" ? "bad" : "good"])));
  w.publish();
  const one = picky(w, RDS, "one", { names });
  await one.settle();
  assert.equal(one.holds.size, 59);
  assert.deepEqual(w.xds.quarantined().map(({ name }) => name), ["r41"]);
  assert.ok(one.seen.length < 16, `${one.seen.length} responses for one among 60`);
  w.set(RDS, { r41: "well" });
  w.publish();
  await one.settle();
  assert.equal(one.holds.get("r41"), "well");
  assert.deepEqual(w.xds.quarantined(), []);
  one.close();
});

Deno.test("quarantine: a client that rejects everything, for ever, is sent each version a bounded number of times", async () => {
  await using w = await world([RDS], { maxTypes: 1000 });
  const names = Array.from({ length: 300 }, (_, i) => `r${i}`);
  w.set(RDS, Object.fromEntries(names.map((name) => [name, `${name} bad`])));
  w.publish();
  const one = picky(w, RDS, "one", { names });
  await one.settle();
  const first = one.seen.length;
  assert.ok(first <= 130, `${first} responses`);
  assert.equal(w.xds.quarantined().length, 300);
  const change = async (content: string) => {
    w.set(RDS, { r1: content });
    w.publish();
    await one.settle();
    return one.seen.length;
  };
  // It is sent together with the resources that were quarantined because either they or r1 could be
  // invalid.
  const second = await change("new bad");
  assert.ok(second <= first + 10, `${second - first} responses`);
  for (let i = 0; i < 30; i++) await change(`${i} bad`);
  assert.equal(one.seen.length, second + 30, "one response for each new version, and none beside");
  const [entry] = w.xds.quarantined().filter(({ name }) => name === "r1");
  assert.ok(entry!.versions.length <= 8);
  // Resources that were quarantined because the client rejects everything are not quarantined for
  // others.
  w.set(RDS, { r2: "fine" });
  w.publish();
  const two = picky(w, RDS, "two", { names: ["r2"] });
  await two.settle();
  assert.equal(two.holds.get("r2"), "fine");
  one.close();
  await w.until(() => w.xds.size === 1);
  assert.ok(w.xds.quarantined().length < 70, `${w.xds.quarantined().length} outlive the client`);
  two.close();
});

Deno.test("quarantine: a version that another proxy of the class accepted is withheld only from the rejecting one", async () => {
  await using w = await world([CDS]);
  const good = w.delta({ name: "good" });
  good.send({ typeUrl: CDS });
  await good.take();
  w.set(CDS, { a: "a bad" });
  w.publish();
  await good.take();
  await good.quiet();
  const one = picky(w, CDS, "one");
  await one.settle();
  assert.deepEqual([...one.holds], []);
  const [held] = w.xds.quarantined();
  assert.deepEqual(held!.acceptedBy.map((name) => name.split("~")[2]), ["good.default"]);
  assert.deepEqual(held!.outvoted, held!.rejectedBy);
  const newClient = w.delta({ name: "newClient" });
  newClient.send({ typeUrl: CDS });
  assert.deepEqual((await newClient.take()).resources.map(({ name }) => name), ["a"]);
  one.close();
  await w.until(() => w.xds.quarantined().length === 0);
  for (const client of [good, newClient]) client.close();
});

Deno.test("quarantine: a new client of another class that rejects the same version gets the last accepted version", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "a1" });
  w.publish();
  const one = picky(w, CDS, "one");
  await one.settle();
  w.set(CDS, { a: "a bad" });
  w.publish();
  await one.settle();
  const other = picky(w, CDS, "other", { namespace: "elsewhere" });
  await other.settle();
  assert.deepEqual([...other.holds], [["a", "a1"]]);
  assert.equal(other.seen.length, 2);
  one.close();
  other.close();
});

Deno.test("quarantine: state of the world has the last accepted version in place of a rejected one", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "a1", b: "b1" });
  w.publish();
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  w.set(CDS, { a: "a bad" });
  w.publish();
  proxy.answer(await proxy.next(), "Error adding/updating cluster(s) a: no");
  w.set(CDS, { b: "b2" });
  w.publish();
  const contents = (await proxy.take()).resources.map(({ value }) => text.decode(value));
  assert.deepEqual(contents.sort(), ["a1", "b2"]);
  proxy.close();
});

for (const type of [CDS, RDS]) {
  Deno.test(`quarantine: it ends when the last accepted version is served again, ${type}`, async () => {
    await using w = await world([type]);
    w.set(type, { a: "a1", b: "b1" });
    w.publish();
    const one = picky(w, type, "one", { names: ["a", "b"] });
    const two = picky(w, type, "two", { names: ["a", "b"] });
    await Promise.all([one.settle(), two.settle()]);
    w.set(type, { a: "a bad" });
    w.publish();
    await Promise.all([one.settle(), two.settle()]);
    assert.deepEqual(w.xds.quarantined().map(({ name }) => name), ["a"]);
    w.set(type, { a: "a1" });
    w.publish();
    await Promise.all([one.settle(), two.settle()]);
    assert.deepEqual(w.xds.quarantined(), []);
    assert.deepEqual([one.holds.get("a"), two.holds.get("a")], ["a1", "a1"]);
    w.set(type, { a: "a2" });
    w.publish();
    await Promise.all([one.settle(), two.settle()]);
    assert.deepEqual([one.holds.get("a"), two.holds.get("a")], ["a2", "a2"]);
    one.close();
    two.close();
  });
}

Deno.test("quarantine: in state of the world it ends when the last accepted version is served again", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "a1" });
  w.publish();
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  w.set(CDS, { a: "a bad" });
  w.publish();
  proxy.answer(await proxy.next(), "Error adding/updating cluster(s) a: no");
  await proxy.quiet();
  assert.equal(w.xds.quarantined().length, 1);
  w.set(CDS, { a: "a1" });
  w.publish();
  await proxy.quiet();
  assert.deepEqual(w.xds.quarantined(), []);
  proxy.close();
});

Deno.test("quarantine: a requested push sends quarantined versions once more", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "a bad" });
  w.publish();
  const one = picky(w, CDS, "one");
  await one.settle();
  const before = one.seen.length;
  w.xds.pushAll();
  await one.settle();
  assert.equal(one.seen.length, before + 1);
  assert.equal(w.xds.quarantined().length, 1);
  one.close();
});

Deno.test("a rejection's message names resources, by themselves and not as parts of others", () => {
  const resources = ["a", "a.b", "outbound|80||x.y", "outbound|80||x", "0.0.0.0_80"]
    .map((name) => ({ name, version: "1", bytes: new Uint8Array() }));
  const cases: [message: string, names: string[]][] = [
    ["Error adding/updating cluster(s) outbound|80||x.y: bad", ["outbound|80||x.y"]],
    [
      "Error adding/updating listener(s) 0.0.0.0_80: a.b is not a: thing",
      ["0.0.0.0_80"],
    ],
    ["Error adding/updating cluster(s) a: one, x, y, a.b: two", ["a", "a.b"]],
    ["route a.b: invalid", ["a.b"]],
    ["no cluster 'outbound|80||x'", ["outbound|80||x"]],
    ["about a.", ["a"]],
    ["all of it is wrong", []],
    ["", []],
  ];
  for (const [message, names] of cases) {
    assert.deepEqual(named(message, resources).map(({ name }) => name), names, message);
  }
});
