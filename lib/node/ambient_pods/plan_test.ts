import assert from "node:assert/strict";
import { type Family, type Packet, walk } from "../capture/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import { overridesOf } from "./overrides.ts";
import { planPod, type PodPlanSettings } from "./plan.ts";

const PROBES = { 4: "169.254.7.127", 6: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff" } as const;
const POD: Readonly<Record<Family, string>> = { 4: "10.0.0.5", 6: "fd00::5" };
const OTHER: Readonly<Record<Family, string>> = { 4: "10.0.0.9", 6: "fd00::9" };
const LOOPBACK: Readonly<Record<Family, string>> = { 4: "127.0.0.1", 6: "::1" };
const OF_PROXY = 0x539;

const SETTINGS: PodPlanSettings = {
  families: [4, 6],
  probes: PROBES,
  redirects: true,
  inbound: true,
  dns: true,
  virtualInterfaces: [],
};

function annotated(annotations: Readonly<Record<string, string>>): CniPod {
  return { metadata: { name: "a", annotations } };
}

/** The end of a packet: its port after redirection, or what else happens. */
function endOf(
  family: Family,
  hook: "PREROUTING" | "OUTPUT",
  packet: Partial<Packet>,
  changes: Partial<PodPlanSettings> = {},
): string {
  const plan = planPod({ ...SETTINGS, ...changes }).families.find((one) => one.family === family)!;
  const isIn = hook === "PREROUTING";
  const { verdict, zone } = walk(plan, hook, {
    protocol: "tcp",
    ...isIn ? { in: "eth0" } : { out: "eth0" },
    source: isIn ? OTHER[family] : POD[family],
    destination: isIn ? POD[family] : OTHER[family],
    sport: 40_000,
    dport: 80,
    ...packet,
  });
  const end = "port" in verdict ? `to ${verdict.port}` : verdict.kind;
  return zone === 0 ? end : `${end} in zone ${zone}`;
}

for (const family of [4, 6] as const) {
  const self = { destination: POD[family], out: "lo" };
  const probe = PROBES[family];
  Deno.test(`rules of a pod: packets of IPv${family} go where they should`, () => {
    const cases: [end: string, hook: "PREROUTING" | "OUTPUT", packet: Partial<Packet>][] = [
      ["to 15006", "PREROUTING", {}],
      ["accept", "PREROUTING", { dport: 15008 }],
      ["accept", "PREROUTING", { source: probe }],
      ["accept", "PREROUTING", { mark: OF_PROXY, in: "lo" }],
      ["accept", "PREROUTING", { destination: LOOPBACK[family], in: "lo" }],
      ["accept", "PREROUTING", { protocol: "udp" }],
      ["to 15001", "OUTPUT", {}],
      ["accept", "PREROUTING", { isMidstream: true }],
      ["accept", "OUTPUT", { isMidstream: true }],
      ["accept", "OUTPUT", { isMidstream: true, dport: 53 }],
      ["accept", "OUTPUT", { mark: OF_PROXY }],
      ["accept", "OUTPUT", self],
      ["accept", "OUTPUT", { destination: LOOPBACK[family], out: "lo" }],
      ["accept", "OUTPUT", { destination: probe }],
      ["accept", "OUTPUT", { connmark: 0x111 }],
      ["to 15053", "OUTPUT", { protocol: "udp", dport: 53 }],
      ["to 15053", "OUTPUT", { dport: 53 }],
      ["accept in zone 1", "OUTPUT", { protocol: "udp", dport: 53, mark: OF_PROXY }],
      ["accept in zone 1", "PREROUTING", { protocol: "udp", sport: 53 }],
      ["accept", "OUTPUT", { protocol: "udp", dport: 123 }],
    ];
    for (const [end, hook, packet] of cases) {
      assert.equal(endOf(family, hook, packet), end, `${hook} ${JSON.stringify(packet)}`);
    }
  });

  Deno.test(`rules of a pod: IPv${family} without redirection, for a pod that leaves`, () => {
    const changes = { redirects: false };
    assert.equal(endOf(family, "PREROUTING", {}, changes), "accept");
    assert.equal(endOf(family, "OUTPUT", {}, changes), "accept");
    // The application still answers the node proxy.
    const plan = planPod({ ...SETTINGS, ...changes }).families.find((one) =>
      one.family === family
    )!;
    const { connmark } = walk(plan, "PREROUTING", {
      ...{ protocol: "tcp", in: "lo", source: OTHER[family], destination: POD[family] },
      ...{ sport: 1, dport: 80, mark: OF_PROXY },
    });
    assert.equal(connmark, 0x111);
  });
}

Deno.test("rules of a pod: annotations change them", () => {
  const all = { dnsCapture: true };
  const bypass = overridesOf(annotated({ "ambient.mesh.io/bypass-inbound-capture": "true" }), all);
  assert.equal(endOf(4, "PREROUTING", {}, bypass), "accept");
  assert.equal(endOf(4, "OUTPUT", {}, bypass), "to 15001");
  const query = { protocol: "udp", dport: 53 } as const;
  const noDns = overridesOf(annotated({ "ambient.mesh.io/dns-capture": "false" }), all);
  assert.equal(endOf(4, "OUTPUT", query, noDns), "accept");
  assert.equal(
    endOf(4, "OUTPUT", query, overridesOf(annotated({}), { dnsCapture: false })),
    "accept",
  );
  const machine = overridesOf(
    annotated({ "mesh.io/reroute-virtual-interfaces": "tap0, tap1" }),
    all,
  );
  assert.equal(endOf(4, "PREROUTING", { in: "tap1" }, machine), "to 15001");
  assert.equal(endOf(4, "PREROUTING", { in: "tap1", protocol: "udp" }, machine), "accept");
  assert.equal(endOf(4, "PREROUTING", {}, machine), "to 15006");
});

Deno.test("rules of a pod: annotations that cannot be read change nothing, and are named", () => {
  const { refused, ...settings } = overridesOf(
    annotated({
      "ambient.mesh.io/bypass-inbound-capture": "perhaps",
      "ambient.mesh.io/dns-capture": "",
      "mesh.io/reroute-virtual-interfaces": "tap0,-j ACCEPT,a-name-that-is-too-long",
    }),
    { dnsCapture: true },
  );
  assert.deepEqual(settings, { inbound: true, dns: true, virtualInterfaces: ["tap0"] });
  assert.equal(refused.length, 4);
});
