import assert from "node:assert/strict";
import {
  documents,
  endpoint,
  manifest,
  serviceEntry,
  to,
} from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { countState, type StateCounts } from "./counts.ts";

const PORT = { number: 80, protocol: "HTTP" };
const PORTS = [
  { number: 80, name: "main", protocol: "HTTP" },
  { number: 81, name: "more", protocol: "HTTP" },
  { number: 82, name: "main-too", protocol: "HTTP" },
];
const NOTHING: StateCounts = {
  services: 0,
  virtualServices: 0,
  emptyClusters: 0,
  emptyDnsClusters: 0,
  duplicateClusters: 0,
  unservedPorts: 0,
  duplicateSubsets: 0,
  duplicateDomains: 0,
};

const service = (name: string, host = "a.test", more = {}) =>
  serviceEntry(name, [host], PORT, { endpoints: [endpoint(1, { version: "v1" })], ...more });
const dns = (name: string, more = {}) => service(name, "a.test", { resolution: "DNS", ...more });
const rule = (name: string, ...subsets: string[]) =>
  manifest("DestinationRule", name, {
    host: "a.test",
    subsets: subsets.map((version) => ({ name: version, labels: { version } })),
  });
const routes = (name: string, more = {}, namespace = "test") =>
  manifest("VirtualService", name, { hosts: ["a.test"], http: [to("a.test")], ...more }, namespace);
const one = { ...NOTHING, services: 1 };

const CASES: [name: string, yaml: string, counts: StateCounts][] = [
  ["nothing", "", NOTHING],
  ["a service", service("a"), one],
  ["a service without endpoints", service("a", "a.test", { endpoints: [] }), {
    ...one,
    emptyClusters: 1,
  }],
  ["a subset without endpoints", documents(service("a"), rule("r", "v1", "v2")), {
    ...one,
    emptyClusters: 1,
  }],
  [
    "a subset of a name that is resolved itself",
    documents(dns("a", { endpoints: [] }), rule("r", "v1")),
    {
      ...one,
      emptyDnsClusters: 1,
    },
  ],
  [
    "a selector that selects nothing",
    dns("a", {
      endpoints: [],
      workloadSelector: { labels: { app: "a" } },
    }),
    { ...one, emptyDnsClusters: 1 },
  ],
  [
    "subsets by the cluster of endpoints",
    documents(
      service("a"),
      manifest("DestinationRule", "r", {
        host: "a.test",
        subsets: ["test", "elsewhere"].map((name) => ({
          name,
          labels: { "topology.mesh.io/cluster": name },
        })),
      }),
    ),
    { ...one, emptyClusters: 1 },
  ],
  [
    "a service without a port of TCP",
    service("a", "a.test", {
      endpoints: [],
      ports: [{ number: 53, name: "dns", protocol: "UDP" }],
    }),
    one,
  ],
  ["a host defined twice", documents(service("a"), service("b")), { ...one, duplicateClusters: 1 }],
  [
    "ports of an entry that differs from an older one",
    documents(service("a"), service("b", "a.test", { resolution: "DNS", ports: PORTS })),
    { ...one, duplicateClusters: 1, unservedPorts: 2 },
  ],
  [
    "ports of entries that agree",
    documents(service("a"), service("b", "a.test", { ports: PORTS, endpoints: [] })),
    { ...one, duplicateClusters: 1 },
  ],
  [
    "a merged port without endpoints",
    documents(
      service("a", "a.test", { endpoints: [] }),
      service("b", "a.test", { ports: PORTS, endpoints: [] }),
    ),
    { ...one, duplicateClusters: 1, emptyClusters: 3 },
  ],
  ["a subset named twice", documents(service("a"), rule("r", "v1"), rule("s", "v1")), {
    ...one,
    duplicateSubsets: 1,
  }],
  ["routes for a host twice", documents(routes("a"), routes("b")), {
    ...NOTHING,
    virtualServices: 2,
    duplicateDomains: 1,
  }],
  [
    "routes for a host in namespaces that do not meet",
    documents(routes("a", { exportTo: ["."] }), routes("a", { exportTo: ["."] }, "other")),
    { ...NOTHING, virtualServices: 2 },
  ],
];

for (const [name, yaml, counts] of CASES) {
  Deno.test(`counted: ${name}`, () => {
    const { set, translation } = startTranslation();
    if (yaml !== "") set(yaml);
    assert.deepEqual(countState(translation.mesh), counts);
  });
}
