import assert from "node:assert/strict";
import { type DomainOptions, domainsFor, shortNames } from "./domains.ts";

const SHORT_NAMES: readonly [host: string, proxyDomain: string, names: readonly string[]][] = [
  ["a.ns.svc.cluster.local", "ns.svc.cluster.local", ["a", "a.ns", "a.ns.svc"]],
  ["a.other.svc.cluster.local", "ns.svc.cluster.local", ["a.other", "a.other.svc"]],
  ["a.ns.svc.cluster.local", "svc.cluster.local", ["a.ns", "a.ns.svc"]],
  ["a.b.ns.svc.cluster.local", "ns.svc.cluster.local", ["a.b.ns", "a.b.ns.svc"]],
  // It shares the suffix, but is not a service of a namespace: `a` would be ambiguous.
  ["a.cluster.local", "ns.svc.cluster.local", []],
  ["a.cluster.local", "svc.cluster.local", []],
  ["a.svc.cluster.local", "ns.svc.cluster.local", []],
  ["a.ns.svc.other.local", "ns.svc.cluster.local", []],
  ["a.example.com", "ns.svc.cluster.local", []],
  ["a.example.com", "", []],
  ["*.ns.svc.cluster.local", "ns.svc.cluster.local", []],
  // Domains that are not a namespace's.
  ["foo.local.campus.net", "local.campus.net", ["foo"]],
  ["foo.local.campus.net", "remote.campus.net", ["foo.local", "foo.local.campus"]],
  ["foo.local.campus.net", "example.com", []],
  ["campus.net", "campus.net", []],
];

for (const [host, proxyDomain, names] of SHORT_NAMES) {
  Deno.test(`short names of ${host} from "${proxyDomain}"`, () => {
    assert.deepEqual(shortNames(host, proxyDomain), names);
  });
}

const SERVICE = { host: "a.ns.svc.cluster.local", port: 80, proxyDomain: "ns.svc.cluster.local" };

const DOMAINS: readonly [about: string, options: DomainOptions, domains: readonly string[]][] = [
  ["a service with short names and ports", SERVICE, [
    "a.ns.svc.cluster.local",
    "a.ns.svc.cluster.local:80",
    "a.ns.svc.cluster.local.",
    "a.ns.svc.cluster.local.:80",
    "a",
    "a:80",
    "a.ns",
    "a.ns:80",
    "a.ns.svc",
    "a.ns.svc:80",
  ]],
  ["without ports", { ...SERVICE, withPort: false }, [
    "a.ns.svc.cluster.local",
    "a.ns.svc.cluster.local.",
    "a",
    "a.ns",
    "a.ns.svc",
  ]],
  ["names of instances, unless another host has them", {
    ...SERVICE,
    withPort: false,
    instances: true,
    claims: (name) => name !== "*.a.ns",
  }, [
    "a.ns.svc.cluster.local",
    "*.a.ns.svc.cluster.local",
    "a.ns.svc.cluster.local.",
    "*.a.ns.svc.cluster.local.",
    "a",
    "*.a",
    "a.ns",
    "a.ns.svc",
    "*.a.ns.svc",
  ]],
  ["a name with a dot at its end that is taken", {
    host: "a.example.com",
    port: 80,
    withPort: false,
    claims: (name) => name !== "a.example.com.",
  }, ["a.example.com"]],
  ["short names that are taken", { ...SERVICE, withPort: false, claims: (s) => s !== "a.ns" }, [
    "a.ns.svc.cluster.local",
    "a.ns.svc.cluster.local.",
    "a",
    "a.ns.svc",
  ]],
  [
    "an alias has its own short names, once each",
    {
      ...SERVICE,
      withPort: false,
      aliases: ["b.other.svc.cluster.local", "a.ns.svc.cluster.local"],
    },
    [
      ...["a.ns.svc.cluster.local", "a.ns.svc.cluster.local.", "a", "a.ns", "a.ns.svc"],
      ...["b.other.svc.cluster.local", "b.other.svc.cluster.local.", "b.other", "b.other.svc"],
    ],
  ],
  ["addresses of both families", {
    host: "a.example.com",
    port: 8080,
    addresses: ["10.0.0.1", "FD00::1"],
  }, [
    "a.example.com",
    "a.example.com:8080",
    "a.example.com.",
    "a.example.com.:8080",
    "10.0.0.1",
    "10.0.0.1:8080",
    "[fd00::1]",
    "[fd00::1]:8080",
  ]],
  ["ranges are no authorities, single addresses in their notation are", {
    host: "a.example.com",
    port: 80,
    withPort: false,
    addresses: ["10.0.0.0/8", "10.0.0.2/32", "fd00::2/128", "fd00::/32", "0.0.0.0", "::", ""],
  }, ["a.example.com", "a.example.com.", "10.0.0.2", "[fd00::2]"]],
  ["capitals", { host: "A.Example.COM", port: 80, withPort: false }, [
    "a.example.com",
    "a.example.com.",
  ]],
  ["no names with a dot at the end", {
    host: "a.example.com",
    port: 80,
    withPort: false,
    absolute: false,
  }, ["a.example.com"]],
  ["names without a dot at the end: of one label, addresses, and those that have it", {
    host: "db",
    port: 80,
    withPort: false,
    aliases: ["10.0.0.9", "x.example."],
  }, ["db", "10.0.0.9", "x.example."]],
  ["a pattern", { host: "*.example.com", port: 8080 }, [
    "*.example.com",
    "*.example.com:8080",
    "*.example.com.",
    "*.example.com.:8080",
  ]],
  ["any host", { host: "*", port: 8080 }, ["*"]],
];

for (const [about, options, domains] of DOMAINS) {
  Deno.test(`domains: ${about}`, () => {
    assert.deepEqual(domainsFor(options), domains);
  });
}
