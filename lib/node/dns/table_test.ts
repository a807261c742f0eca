import assert from "node:assert/strict";
import { create } from "../../kit/proto/mod.ts";
import { NameTable_NameInfoSchema, NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { type Found, indexNames, type Names } from "./table.ts";

interface Info {
  readonly ips: string[];
  readonly shortname?: string;
  readonly namespace?: string;
  readonly altHosts?: string[];
}

const SEARCH = ["shop.svc.cluster.local", "svc.cluster.local", "corp.test"];

function names(table: Readonly<Record<string, Info>>, namespace = "shop"): Names {
  const entries = Object.entries(table).map(([host, info]) =>
    [host, create(NameTable_NameInfoSchema, info)] as const
  );
  const domain = `${namespace}.svc.cluster.local`;
  return indexNames(create(NameTableSchema, { table: Object.fromEntries(entries) }), {
    namespace,
    domain,
    search: SEARCH,
  });
}

const TABLE: Readonly<Record<string, Info>> = {
  "cart.shop.svc.cluster.local": {
    ips: ["10.0.0.1", "2001:DB8:0::1"],
    shortname: "cart",
    namespace: "shop",
    altHosts: ["cart.alias"],
  },
  "pay.bank.svc.cluster.local": { ips: ["10.0.0.2"], shortname: "pay", namespace: "bank" },
  "api.example.com": { ips: ["10.0.0.3"] },
  "*.example.com": { ips: ["10.0.0.4"] },
  "*.deep.example.com": { ips: ["10.0.0.5"] },
  "Upper.Test": { ips: ["10.0.0.6"] },
};

const v4 = (address: string, alias?: string): Found => ({
  ipv4: [address],
  ipv6: [],
  ...alias && { alias },
});
const CART = { ipv4: ["10.0.0.1"], ipv6: ["2001:db8::1"] };

const LOOKUPS: readonly [name: string, found: Found | undefined][] = [
  ["cart.shop.svc.cluster.local", CART],
  ["cart", CART],
  ["cart.shop", CART],
  ["cart.shop.svc", CART],
  ["cart.alias", CART],
  ["pay", undefined],
  ["pay.bank", v4("10.0.0.2")],
  ["pay.bank.svc", v4("10.0.0.2")],
  ["pay.bank.svc.cluster.local", v4("10.0.0.2")],
  ["api.example.com", v4("10.0.0.3")],
  ["other.example.com", v4("10.0.0.4")],
  ["a.b.example.com", v4("10.0.0.4")],
  ["a.deep.example.com", v4("10.0.0.5")],
  ["example.com", undefined],
  ["upper.test", v4("10.0.0.6")],
  ["api.example.com.shop.svc.cluster.local", v4("10.0.0.3", "api.example.com")],
  ["pay.bank.corp.test", v4("10.0.0.2", "pay.bank")],
  ["any.example.com.corp.test", v4("10.0.0.4", "any.example.com")],
  ["unknown.corp.test", undefined],
  ["corp.test", undefined],
  ["", undefined],
  ["__proto__", undefined],
  ["constructor", undefined],
];

for (const [name, found] of LOOKUPS) {
  Deno.test(`names: ${name || "the root"}`, () => {
    assert.deepEqual(names(TABLE).find(name), found);
  });
}

Deno.test("names: a host wins over the short name of another one", () => {
  const table = names({
    "cart.shop.svc.cluster.local": { ips: ["10.0.0.1"], shortname: "cart", namespace: "shop" },
    "cart": { ips: ["10.0.0.9"] },
  });
  assert.deepEqual(table.find("cart"), v4("10.0.0.9"));
});

Deno.test("names: addresses that are none are left out", () => {
  assert.deepEqual(names({ "a.test": { ips: ["x", "10.0.0.300", ""] } }).find("a.test"), {
    ipv4: [],
    ipv6: [],
  });
});
