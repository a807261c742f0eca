import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { expose } from "../../kit/metrics/mod.ts";
import { create, toBinary } from "../../kit/proto/mod.ts";
import { NameTable_NameInfoSchema, NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { type DnsProxy, parseDnsAddress, startDnsProxy, upstreamsOf } from "./proxy.ts";
import { createResolver } from "./answers.ts";
import { listenDns } from "./server.ts";
import { readQuery } from "./message.ts";
import {
  askTcp,
  askUdp,
  decode,
  makeQuery,
  type Reply,
  respond,
  type Response,
  startNameserver,
  type TestNameserver,
} from "../../../tests/support/dns_client.ts";
import { createForwarder, type Nameserver } from "./upstream.ts";

const NAMES = ["127.77.0.1", "127.77.0.2"];

/** A name table with a few hosts. */
function table(hosts: Readonly<Record<string, readonly string[]>>): Uint8Array {
  const entries = Object.entries(hosts).map(([host, ips]) =>
    [host, create(NameTable_NameInfoSchema, { ips: [...ips] })] as const
  );
  return toBinary(NameTableSchema, create(NameTableSchema, { table: Object.fromEntries(entries) }));
}

const TABLE = table({
  "far.test": ["10.0.0.1", "2001:db8::1"],
  "many.test": Array.from({ length: 200 }, (_, i) => `10.1.0.${i}`),
});

interface World extends AsyncDisposable {
  readonly proxy: DnsProxy;
  readonly servers: readonly TestNameserver[];
  readonly udp: (name: string, type?: string) => Promise<Response>;
  readonly tcp: (name: string, type?: string) => Promise<Response>;
}

/** A proxy with a nameserver for each reply. */
async function world(
  replies: readonly Reply[],
  { parallel = false, names = true } = {},
): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const servers: TestNameserver[] = [];
  for (const [i, reply] of replies.entries()) {
    // All nameservers have the same port, as in production.
    servers.push(stack.use(await startNameserver(NAMES[i]!, reply, servers[0]?.port)));
  }
  const proxy = await startDnsProxy({
    address: "127.0.0.1:0",
    parallel,
    resolvConf: { nameservers: NAMES.slice(0, servers.length), search: ["corp.test"] },
    scope: { namespace: "shop", domain: "shop.svc.cluster.local" },
    ownAddresses: [],
    nameserverPort: servers[0]?.port ?? 1,
  });
  stack.defer(() => proxy.stop());
  if (names) proxy.update(TABLE);
  const moved = stack.move();
  const answered = (answer: Uint8Array | undefined): Response => {
    assert.ok(answer !== undefined, "an answer");
    return decode(answer);
  };
  return {
    proxy,
    servers,
    udp: async (name, type = "A") => answered(await askUdp(proxy.port, makeQuery(name, type))),
    tcp: async (name, type = "A") => answered(await askTcp(proxy.port, makeQuery(name, type))),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const answers = (address: string): Reply => (message) => [respond(message, address)];
const fails = (rcode: number): Reply => (message) => [respond(message, rcode)];
const silent: Reply = () => [];

for (const transport of ["udp", "tcp"] as const) {
  Deno.test(`dns proxy: names of the mesh over ${transport}`, async () => {
    await using found = await world([fails(3)]);
    const ask = found[transport];
    assert.deepEqual((await ask("FAR.test")).records, ["FAR.test A 30 10.0.0.1"]);
    assert.deepEqual((await ask("far.test", "AAAA")).records, [
      "far.test AAAA 30 2001:db8:0:0:0:0:0:1",
    ]);
    assert.deepEqual((await ask("far.test.corp.test")).records, [
      "far.test.corp.test CNAME 30 far.test",
      "far.test A 30 10.0.0.1",
    ]);
    const other = await ask("many.test", "AAAA");
    assert.deepEqual([other.rcode, other.records], [0, []], "a name without this family");
    assert.equal(found.servers[0]!.received.length, 0);
  });

  Deno.test(`dns proxy: other queries are forwarded over ${transport}`, async () => {
    await using found = await world([
      (message) =>
        decode(respond(message, 0)).id >= 0 && message[12] === 3
          ? [respond(message, "192.0.2.7")]
          : [respond(message, 3)],
    ]);
    const ask = found[transport];
    const response = await ask("www.example.org");
    assert.deepEqual([response.id, response.records], [0x1234, ["www.example.org A 60 192.0.2.7"]]);
    assert.equal((await ask("nobody.example.org")).rcode, 3);
    assert.equal((await ask("far.test", "MX")).rcode, 0, "a type that the table does not have");
    assert.equal(found.servers[0]!.received.length, 3);
    const ids = found.servers[0]!.received.map((m) => m[0]! << 8 | m[1]!);
    assert.ok(ids.some((id) => id !== 0x1234), "ids of forwarded queries are random");
  });
}

Deno.test("dns proxy: a long answer over UDP is cut, and whole over TCP, in changing order", async () => {
  await using found = await world([]);
  const cut = await found.udp("many.test");
  assert.ok(cut.truncated && cut.records.length < 40);
  const [first, second] = [await found.tcp("many.test"), await found.tcp("many.test")];
  assert.equal(first.records.length, 200);
  assert.notDeepEqual(first.records, second.records);
  assert.deepEqual([...first.records].sort(), [...second.records].sort());
});

Deno.test("dns proxy: without nameservers, unknown names fail", async () => {
  await using found = await world([]);
  assert.equal((await found.udp("www.example.org")).rcode, 2);
});

Deno.test("dns proxy: before the first name table, queries fail and are not forwarded", async () => {
  await using found = await world([answers("192.0.2.1")], { names: false });
  assert.equal((await found.udp("www.example.org")).rcode, 2);
  assert.equal(found.servers[0]!.received.length, 0);
  found.proxy.update(undefined);
  assert.deepEqual((await found.udp("www.example.org")).records.length, 1);
});

Deno.test("dns proxy: nameservers are asked in order", async () => {
  await using found = await world([answers("192.0.2.1"), answers("192.0.2.2")]);
  assert.deepEqual((await found.udp("a.org")).records, ["a.org A 60 192.0.2.1"]);
  assert.equal(found.servers[1]!.received.length, 0);
});

for (
  const [what, first] of [["fails", fails(2)], ["refuses", fails(5)], [
    "is silent",
    silent,
  ]] as const
) {
  Deno.test(`dns proxy: the next nameserver is asked when one ${what}`, async () => {
    await using found = await world([first, answers("192.0.2.2")]);
    assert.deepEqual((await found.udp("a.org")).records, ["a.org A 60 192.0.2.2"]);
  });
}

/** The value of a metric. */
async function metric(name: string): Promise<number> {
  const line = (await expose()).body.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

Deno.test("dns_upstream_failures_total, dns_upstream_request_duration_seconds: answers of nameservers", async () => {
  const names = [
    "dns_upstream_failures_total",
    "dns_upstream_requests_total",
    "dns_upstream_request_duration_seconds_count",
  ];
  const values = () => Promise.all(names.map(metric));
  await using good = await world([(message) => [respond(message, "10.9.0.1")]]);
  const [failures = 0, requests = 0, durations = 0] = await values();
  await good.udp("a.org");
  assert.deepEqual(await values(), [failures, requests + 1, durations + 1]);
  await using none = await world([]);
  await none.udp("a.org");
  assert.equal(await metric("dns_upstream_failures_total"), failures + 1);
});

Deno.test("dns proxy: in parallel, the first good answer counts", async () => {
  await using found = await world([silent, answers("192.0.2.2")], { parallel: true });
  assert.deepEqual((await found.udp("a.org")).records, ["a.org A 60 192.0.2.2"]);
  assert.equal(found.servers[0]!.received.length, 1, "all were asked");
  await using failing = await world([fails(2), fails(3)], { parallel: true });
  assert.equal((await failing.udp("a.org")).rcode, 3);
  await using none = await world([fails(2), fails(5)], { parallel: true });
  assert.ok([2, 5].includes((await none.udp("a.org")).rcode));
});

Deno.test("dns proxy: forged responses are ignored", async () => {
  const forged = (message: Uint8Array): Uint8Array => respond(message, "203.0.113.66");
  await using found = await world([(message) => {
    const otherId = forged(message);
    otherId[1]! ^= 1;
    const otherName = forged(makeQuery("b.org", "A", { id: message[0]! << 8 | message[1]! }));
    return [
      otherId,
      otherName,
      message,
      forged(message).subarray(0, 7),
      respond(message, "192.0.2.1"),
    ];
  }]);
  assert.deepEqual((await found.udp("a.org")).records, ["a.org A 60 192.0.2.1"]);
});

/** A UDP socket at an address of loopback. */
async function bound(hostname: string, port = 0): Promise<Socket> {
  const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((done) => socket.bind(port, hostname, done));
  return socket;
}

for (
  const [asked, answering, forging] of [
    ["127.77.0.1", "127.77.0.1", "127.77.0.9"],
    ["0.0.0.0", "127.0.0.1", "127.77.0.9"],
    ["0:0:0:0:0:0:0:1", "::1", undefined],
  ] as const
) {
  Deno.test(`dns proxy: only ${asked} answers what it was asked`, async () => {
    const server = await bound(answering);
    const { port } = server.address();
    const forger = forging && await bound(forging, port);
    const forwarder = createForwarder({
      nameservers: [{ hostname: asked, port }],
      parallel: false,
      timeout: 10_000,
    });
    server.on("message", (message: Uint8Array, from) => {
      const query = new Uint8Array(message);
      const answer = () => server.send(respond(query, "192.0.2.1"), from.port, from.address);
      if (forger === undefined) return answer();
      // Same port, id and question; the true answer follows when the forged one is on its way.
      forger.send(respond(query, "203.0.113.66"), from.port, "127.0.0.1", answer);
    });
    const message = makeQuery("a.org", "A");
    const query = readQuery(message);
    assert.ok(!("kind" in query));
    const response = await forwarder.forward(message, query, false);
    assert.deepEqual(decode(response!).records, ["a.org A 60 192.0.2.1"]);
    forwarder.close();
    for (const socket of [server, forger]) {
      if (socket) await new Promise<void>((done) => socket.close(() => done()));
    }
  });
}

Deno.test("dns proxy: malformed messages do not affect other queries", async () => {
  await using found = await world([silent]);
  const { port } = found.proxy;
  const pointer = Uint8Array.of(0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1);
  assert.equal((await askUdp(port, pointer))![3]! & 0xf, 1, "a loop of compression");
  assert.equal(
    await askUdp(port, respond(makeQuery("a.org", "A"), 0), { timeout: 300 }),
    undefined,
    "a response",
  );
  assert.equal(await askUdp(port, new Uint8Array(3), { timeout: 300 }), undefined);
  assert.equal((await askUdp(port, new Uint8Array(60_000)))![3]! & 0xf, 1, "oversized");
  using slow = await Deno.connect({ port });
  await slow.write(Uint8Array.of(0xff, 0xff, 1, 2, 3));
  assert.equal(await slow.read(new Uint8Array(1)), null, "a length beyond any query");
  assert.equal((await found.udp("far.test")).rcode, 0);
});

Deno.test("dns proxy: a flood leaves it able to answer", async () => {
  await using found = await world([silent]);
  const socket = createSocket("udp4");
  const unknown = makeQuery("flood.example.org", "A");
  for (let i = 0; i < 5000; i++) socket.send(unknown, found.proxy.port, "127.0.0.1");
  assert.equal((await found.tcp("far.test")).rcode, 0);
  assert.equal((await found.udp("far.test")).rcode, 0);
  await new Promise<void>((done) => socket.close(() => done()));
  assert.ok(found.servers[0]!.received.length <= 1024 + 5, "forwarded queries are bounded");
});

Deno.test("dns proxy: connections are bounded", async () => {
  await using found = await world([]);
  const open = await Promise.all(
    Array.from({ length: 300 }, () => Deno.connect({ port: found.proxy.port })),
  );
  const closed = await Promise.race(open.map((c) => c.read(new Uint8Array(1))));
  assert.equal(closed, null, "one of them was closed");
  for (const connection of open) connection.close();
  assert.equal((await found.udp("far.test")).rcode, 0);
});

for (const tcp of [false, true]) {
  Deno.test(`dns proxy: a query that comes back over ${tcp ? "TCP" : "UDP"} ends with SERVFAIL`, async () => {
    const nameservers: Nameserver[] = [];
    const forwarder = createForwarder({ nameservers, parallel: false });
    const options = { names: () => undefined, forwarder, random: Math.random };
    let [time, queries] = [0, 0];
    const resolve = createResolver({ ...options, now: () => time });
    time = 60_000;
    const listeners = await listenDns({
      hosts: ["127.0.0.1"],
      port: 0,
      resolve: (message, client) => {
        queries++;
        return resolve(message, client);
      },
    });
    nameservers.push({ hostname: "127.0.0.1", port: listeners.port });
    const ask = tcp ? askTcp : askUdp;
    const answer = await ask(listeners.port, makeQuery("a.org", "A"));
    assert.equal(decode(answer!).rcode, 2);
    assert.equal(queries, 2);
    await listeners.stop();
  });
}

Deno.test("dns proxy: its own address is never a nameserver", () => {
  const resolvConf = { nameservers: ["127.0.0.1", "10.0.0.5", "10.0.0.2"], search: [] };
  const of = (hosts: string[], port: number) =>
    upstreamsOf({ resolvConf, ownAddresses: ["10.0.0.5"] }, hosts, port)
      .map(({ hostname }) => hostname);
  assert.deepEqual(of(["127.0.0.1", "::1"], 53), ["10.0.0.5", "10.0.0.2"]);
  assert.deepEqual(of(["0.0.0.0", "::"], 53), ["10.0.0.2"]);
  assert.deepEqual(of(["127.0.0.1", "::1"], 15053), resolvConf.nameservers);
});

Deno.test("DNS_PROXY_ADDR takes a host and a port", () => {
  assert.deepEqual(parseDnsAddress("localhost:15053"), {
    hosts: ["127.0.0.1", "::1"],
    port: 15053,
  });
  assert.deepEqual(parseDnsAddress(":53"), { hosts: ["0.0.0.0", "::"], port: 53 });
  assert.deepEqual(parseDnsAddress("[::1]:53"), { hosts: ["::1"], port: 53 });
  for (const text of ["", "localhost", "a:b", "localhost:70000", "::1:53", "x:1:2"]) {
    assert.throws(() => parseDnsAddress(text), { code: "dns-address" });
  }
});

Deno.test("dns proxy: an address that is taken is an error", async () => {
  await using found = await world([]);
  const again = startDnsProxy({
    address: `127.0.0.1:${found.proxy.port}`,
    parallel: false,
    resolvConf: { nameservers: [], search: [] },
    scope: { namespace: "", domain: "" },
    ownAddresses: [],
  });
  await assert.rejects(again, { code: "dns-listen" });
});
