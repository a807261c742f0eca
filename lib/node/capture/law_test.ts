/**
 * Laws that hold for all settings.
 *
 * @module
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { cleaningPlan } from "./apply.ts";
import { compare, removalText } from "./drift.ts";
import { type CaptureInput, parseCapture } from "./parse.ts";
import { planCapture } from "./plan.ts";
import { restoreText, savedText } from "./render.ts";
import { parseSaved } from "./saved.ts";
import type { CaptureSettings } from "./settings.ts";
import { HOST, INPUT } from "./testing.ts";
import { type Packet, walk } from "./walk.ts";

const list = (of: fc.Arbitrary<string | number>) =>
  fc.uniqueArray(of, { maxLength: 3 }).map((items) => items.join(","));
const ports = list(fc.integer({ min: 1, max: 65_535 }));
const ranges = list(fc.constantFrom("10.0.0.0/8", "10.1.2.3/16", "127.0.0.1/32", "2001:db8::/32"));
const devices = list(fc.constantFrom("eth0", "eth1", "veth+"));
const orAll = (of: fc.Arbitrary<string>) => fc.oneof(fc.constant("*"), of);

const inputs: fc.Arbitrary<CaptureInput> = fc.record({
  mode: fc.constantFrom("", "REDIRECT", "TPROXY"),
  inboundPorts: orAll(ports),
  inboundPortsExclude: ports,
  outboundPorts: ports,
  outboundPortsExclude: ports,
  ranges: orAll(ranges),
  rangesExclude: ranges,
  uids: list(fc.constantFrom(1337, 3)),
  gids: list(fc.constantFrom(1337, 4)),
  groups: orAll(list(fc.constantFrom(100, 1337, "java"))),
  groupsExclude: list(fc.constantFrom(100, "java")),
  excludeInterfaces: devices,
  virtualInterfaces: devices,
  dns: fc.boolean(),
  allDns: fc.boolean(),
  dropInvalid: fc.boolean(),
  trace: fc.boolean(),
  dualStack: fc.boolean(),
}).map((changes) => ({ ...INPUT, ...changes }));

const settings: fc.Arbitrary<CaptureSettings> = inputs.map((input) =>
  parseCapture(input, { ...HOST, ipv6: true, nameservers: ["10.96.0.10", "fd00::a"] })
);

Deno.test("law: connections of the proxy to other hosts are never captured", () => {
  const address = fc.constantFrom("10.2.0.9", "10.1.2.3", "192.0.2.1", "10.96.0.10");
  const port = fc.oneof(fc.constantFrom(53, 80, 15001), fc.integer({ min: 1, max: 65_535 }));
  const protocol = fc.constantFrom("tcp" as const, "udp" as const);
  fc.assert(
    fc.property(settings, address, port, protocol, (all, destination, dport, protocol) => {
      const plan = planCapture(all).families[0]!;
      const packet: Packet = {
        protocol,
        out: "eth5",
        source: "10.3.0.1",
        destination,
        sport: 40_000,
        dport,
      };
      for (const uid of all.uids) {
        assert.equal(walk(plan, "OUTPUT", { ...packet, uid, gid: "7" }).verdict.kind, "accept");
      }
      for (const gid of all.gids) {
        assert.equal(walk(plan, "OUTPUT", { ...packet, uid: "7", gid }).verdict.kind, "accept");
      }
    }),
  );
});

Deno.test("law: a plan that was applied has no drift, and removing it leaves nothing", () => {
  fc.assert(fc.property(settings, (all) => {
    for (const plan of planCapture(all).families) {
      const saved = parseSaved(savedText(plan));
      assert.deepEqual(compare(plan, saved).differences, []);
      const removed = removalText(plan, saved).split("\n");
      const [rules, chains] = [
        (prefix: string) => removed.filter((line) => line.startsWith(prefix)).length,
        [...saved.values()].flatMap((table) => [...table.chains]),
      ];
      assert.equal(rules("-X "), chains.length);
      const hooks = plan.rules.filter(({ chain }) => /^(PREROUTING|OUTPUT)$/.test(chain));
      assert.equal(rules("-D "), hooks.length);
    }
  }));
});

Deno.test("law: cleaning without the settings of capture finds every rule, except those of interfaces", () => {
  fc.assert(fc.property(inputs, (input) => {
    const host = { ...HOST, ipv6: true, nameservers: ["10.96.0.10", "fd00::a"] };
    const applied = planCapture(
      parseCapture({ ...input, excludeInterfaces: "", virtualInterfaces: "" }, host),
    );
    const { uids, gids } = input;
    const known = parseCapture({ ...INPUT, uids, gids }, host);
    const cleaning = cleaningPlan(known, host.nameservers);
    for (const [i, plan] of applied.families.entries()) {
      const removed = removalText(cleaning.families[i]!, parseSaved(savedText(plan)));
      const hooks = plan.rules.filter(({ chain }) => /^(PREROUTING|OUTPUT)$/.test(chain));
      const deleted = removed.split("\n").filter((line) => line.startsWith("-D "));
      assert.equal(deleted.length, hooks.length, removed);
    }
  }));
});

Deno.test("law: every line of the input is one rule of known letters", () => {
  const line = /^(\* (nat|mangle|raw)|-N MESH_[A-Z_]+|COMMIT|-[AI] [A-Z_]+ [\w .:,/!@*+-]+)$/;
  fc.assert(fc.property(settings, (all) => {
    for (const plan of planCapture(all).families) {
      for (const text of restoreText(plan).trimEnd().split("\n")) assert.match(text, line);
    }
  }));
});
