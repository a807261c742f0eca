import assert from "node:assert/strict";
import { passOn } from "./result.ts";

const INTERFACES = [{ name: "eth0", sandbox: "/n", mtu: 1500, socketPath: "/s", pciID: "p" }];
const ROUTES = [{
  dst: "0.0.0.0/0",
  gw: "10.0.0.1",
  mtu: 1400,
  advmss: 1,
  priority: 2,
  table: 3,
  scope: 4,
}];
const NEWEST = {
  cniVersion: "1.1.0",
  interfaces: INTERFACES,
  ips: [{ interface: 0, address: "10.0.0.2/24" }, { interface: 0, address: "fd00::2/64" }],
  routes: ROUTES,
  dns: {},
  others: ["stay"],
};
const OLD_INTERFACES = [{ name: "eth0", sandbox: "/n" }];
const OLD_ROUTES = [{ dst: "0.0.0.0/0", gw: "10.0.0.1" }];
const OLD = {
  ...NEWEST,
  cniVersion: "0.4.0",
  interfaces: OLD_INTERFACES,
  routes: OLD_ROUTES,
  ips: [
    { version: "4", interface: 0, address: "10.0.0.2/24" },
    { version: "6", interface: 0, address: "fd00::2/64" },
  ],
};

Deno.test("results: one of the version that is asked for stays as it is", () => {
  for (const one of [NEWEST, OLD]) assert.deepEqual(passOn(one, one.cniVersion as "1.1.0"), one);
});

Deno.test("results: older versions have versions of addresses, and not the fields of 1.1", () => {
  assert.deepEqual(passOn(NEWEST, "0.4.0"), OLD);
  const { ips } = NEWEST;
  const first = {
    ...NEWEST,
    cniVersion: "1.0.0",
    interfaces: OLD_INTERFACES,
    routes: OLD_ROUTES,
    ips,
  };
  assert.deepEqual(passOn(NEWEST, "1.0.0"), first);
});

Deno.test("results: newer versions have no versions of addresses", () => {
  assert.deepEqual(passOn(OLD, "1.1.0"), { ...OLD, cniVersion: "1.1.0", ips: NEWEST.ips });
  assert.deepEqual(passOn(OLD, "0.3.1"), { ...OLD, cniVersion: "0.3.1" });
});

Deno.test("results: the first plugin of a network has an empty one", () => {
  assert.deepEqual(passOn(undefined, "1.0.0"), { cniVersion: "1.0.0" });
});

Deno.test("results: a version that is not known is refused by name", () => {
  assert.throws(() => passOn({ cniVersion: "0.2.0" }, "1.0.0"), {
    cniCode: 6,
    message: /prevResult\.cniVersion: "0\.2\.0" is not supported/,
  });
});
