import assert from "node:assert/strict";
import { planCapture } from "./plan.ts";
import { captureAll } from "./testing.ts";
import type { CaptureInput } from "./parse.ts";
import { type Packet, type Verdict, walk } from "./walk.ts";

const OWN = "10.1.0.5";
const FAR = "10.2.0.9";
const APP = { uid: "1000", gid: "1000" };
const PROXY = { uid: "1337", gid: "1337" };

const tcp = (more: Partial<Packet>): Packet => ({
  protocol: "tcp",
  source: OWN,
  destination: FAR,
  sport: 40_000,
  dport: 80,
  ...more,
});
const outside = (more: Partial<Packet> = {}): Packet => tcp({ out: "eth0", ...APP, ...more });
const loop = (more: Partial<Packet>): Packet => tcp({ out: "lo", destination: OWN, ...more });
const incoming = (more: Partial<Packet> = {}): Packet =>
  tcp({ in: "eth0", source: FAR, destination: OWN, dport: 8080, ...more });
const query = (more: Partial<Packet> = {}): Packet =>
  outside({ protocol: "udp", dport: 53, destination: "10.96.0.10", ...more });

const ACCEPT: Verdict = { kind: "accept" };
const to = (port: number): Verdict => ({ kind: "redirect", port });

type Row = readonly [
  what: string,
  changes: Partial<CaptureInput>,
  hook: "PREROUTING" | "OUTPUT",
  packet: Packet,
  verdict: Verdict,
];

const ROWS: readonly Row[] = [
  ["outbound is captured", {}, "OUTPUT", outside(), to(15001)],
  ["the proxy's own outbound is not", {}, "OUTPUT", outside(PROXY), ACCEPT],
  ["by uid alone", {}, "OUTPUT", outside({ ...APP, uid: "1337" }), ACCEPT],
  ["by gid alone", {}, "OUTPUT", outside({ ...APP, gid: "1337" }), ACCEPT],
  ["an excluded outbound port", { outboundPortsExclude: "80" }, "OUTPUT", outside(), ACCEPT],
  ["an excluded range", { rangesExclude: "10.2.0.0/16" }, "OUTPUT", outside(), ACCEPT],
  ["a range that is included", { ranges: "10.2.0.0/16" }, "OUTPUT", outside(), to(15001)],
  ["a range that is not", { ranges: "10.3.0.0/16" }, "OUTPUT", outside(), ACCEPT],
  ["a port at any address", { ranges: "", outboundPorts: "80" }, "OUTPUT", outside(), to(15001)],
  ["nothing outbound", { ranges: "" }, "OUTPUT", outside(), ACCEPT],
  ["loopback", {}, "OUTPUT", loop({ ...APP, destination: "127.0.0.1" }), ACCEPT],
  ["the workload to itself", {}, "OUTPUT", loop(APP), ACCEPT],
  ["the workload to itself through the proxy", {}, "OUTPUT", loop(PROXY), to(15006)],
  ["the proxy to the workload", {}, "OUTPUT", loop({ ...PROXY, source: "127.0.0.6" }), ACCEPT],
  ["the tunnel port over loopback", {}, "OUTPUT", loop({ ...PROXY, dport: 15008 }), ACCEPT],
  ["an excluded group", { groupsExclude: "1000" }, "OUTPUT", outside(), ACCEPT],
  ["a group that is not included", { groups: "7,8" }, "OUTPUT", outside(), ACCEPT],
  ["a group that is included", { groups: "7,1000" }, "OUTPUT", outside(), to(15001)],
  ["an excluded interface", { excludeInterfaces: "eth0" }, "OUTPUT", outside(), ACCEPT],
  ["UDP that is not DNS", {}, "OUTPUT", outside({ protocol: "udp" }), ACCEPT],
  ["inbound is captured", {}, "PREROUTING", incoming(), to(15006)],
  ["the tunnel port", {}, "PREROUTING", incoming({ dport: 15008 }), ACCEPT],
  ["an excluded inbound port", { inboundPortsExclude: "8080" }, "PREROUTING", incoming(), ACCEPT],
  ["a listed inbound port", { inboundPorts: "8080" }, "PREROUTING", incoming(), to(15006)],
  ["another one", { inboundPorts: "9090" }, "PREROUTING", incoming(), ACCEPT],
  ["no inbound port", { inboundPorts: "" }, "PREROUTING", incoming(), ACCEPT],
  [
    "inbound by an excluded interface",
    { excludeInterfaces: "eth0" },
    "PREROUTING",
    incoming(),
    ACCEPT,
  ],
  ["a virtual machine", { virtualInterfaces: "eth0" }, "PREROUTING", incoming(), to(15001)],
  ["an invalid packet", { dropInvalid: true }, "PREROUTING", incoming({ state: "INVALID" }), {
    kind: "drop",
  }],
  ["a query", { dns: true }, "OUTPUT", query(), to(15053)],
  ["a query over TCP", { dns: true }, "OUTPUT", query({ protocol: "tcp" }), to(15053)],
  ["a query of the proxy", { dns: true }, "OUTPUT", query(PROXY), ACCEPT],
  ["a query to another server", { dns: true }, "OUTPUT", query({ destination: FAR }), ACCEPT],
  [
    "a query to any server",
    { dns: true, allDns: true },
    "OUTPUT",
    query({ destination: FAR }),
    to(15053),
  ],
  ["a query without capture", {}, "OUTPUT", query(), ACCEPT],
  ["a query of an excluded group", { dns: true, groupsExclude: "1000" }, "OUTPUT", query(), ACCEPT],
  ["TPROXY: inbound", { mode: "TPROXY" }, "PREROUTING", incoming(), {
    kind: "tproxy",
    port: 15006,
  }],
  [
    "TPROXY: the proxy to the workload",
    { mode: "TPROXY" },
    "PREROUTING",
    incoming({ in: "lo", mark: 1337 }),
    ACCEPT,
  ],
  [
    "TPROXY: the workload to itself",
    { mode: "TPROXY" },
    "PREROUTING",
    incoming({ in: "lo" }),
    ACCEPT,
  ],
  [
    "TPROXY: to itself through the proxy",
    { mode: "TPROXY" },
    "PREROUTING",
    incoming({ in: "lo", mark: 1338 }),
    { kind: "tproxy", port: 15006 },
  ],
  ["TPROXY: outbound", { mode: "TPROXY" }, "OUTPUT", outside(), to(15001)],
  [
    "TPROXY: an excluded port",
    { mode: "TPROXY", inboundPortsExclude: "8080" },
    "PREROUTING",
    incoming(),
    ACCEPT,
  ],
  ["TPROXY: a listed port", { mode: "TPROXY", inboundPorts: "8080" }, "PREROUTING", incoming(), {
    kind: "tproxy",
    port: 15006,
  }],
];

for (const [what, changes, hook, packet, verdict] of ROWS) {
  Deno.test(`rules: ${what}`, () => {
    const [plan] = planCapture(captureAll(changes)).families;
    assert.deepEqual(walk(plan!, hook, packet).verdict, verdict);
  });
}

Deno.test("rules: a connection that is captured by TPROXY keeps its marks", () => {
  const [plan] = planCapture(captureAll({ mode: "TPROXY" })).families;
  const established = walk(plan!, "PREROUTING", incoming({ state: "ESTABLISHED" }));
  assert.deepEqual([established.verdict, established.mark], [ACCEPT, 1337]);
  const fromProxy = walk(plan!, "PREROUTING", incoming({ in: "lo", mark: 1337 }));
  assert.equal(fromProxy.connmark, 1337, "the mark is saved");
  const answer = walk(plan!, "OUTPUT", outside({ connmark: 1337, state: "ESTABLISHED" }));
  assert.equal(answer.mark, 1337, "the mark is restored");
  assert.equal(walk(plan!, "OUTPUT", loop(PROXY)).mark, 1338);
});

Deno.test("rules: both halves of a relayed query are in zones of their own", () => {
  const [plan] = planCapture(captureAll({ dns: true })).families;
  const zone = (packet: Packet, hook: "OUTPUT" | "PREROUTING" = "OUTPUT") =>
    walk(plan!, hook, packet).zone;
  assert.equal(zone(query()), 2);
  assert.equal(zone(query({ ...PROXY, dport: 40_000, sport: 15053 })), 2);
  const answer = query({ uid: undefined, gid: undefined, source: "10.96.0.10", sport: 53 });
  assert.equal(zone({ ...answer, out: undefined, in: "eth0" }, "PREROUTING"), 1);
});
