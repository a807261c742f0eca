/**
 * The DNS proxy as a program: `proxy.ts ADDRESS PORT NAMES` forwards to the nameserver at the address
 * and port, and knows so many names `host-N.test`. It prints its port.
 *
 * @module
 */
import { startDnsProxy } from "../../../lib/node/dns/mod.ts";
import { create, toBinary } from "../../../lib/kit/proto/mod.ts";
import { NameTable_NameInfoSchema, NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";

const [nameserver = "", port = "", names = ""] = Deno.args;
const table = Object.fromEntries(
  Array.from({ length: Number(names) }, (_, i) => [
    `host-${i}.test`,
    create(NameTable_NameInfoSchema, { ips: [`10.0.${i >> 8 & 255}.${i & 255}`] }),
  ]),
);
const proxy = await startDnsProxy({
  address: "127.0.0.1:0",
  parallel: false,
  resolvConf: { nameservers: [nameserver], search: ["shop.svc.cluster.local", "corp.test"] },
  scope: { namespace: "shop", domain: "shop.svc.cluster.local" },
  ownAddresses: [],
  nameserverPort: Number(port),
});
proxy.update(toBinary(NameTableSchema, create(NameTableSchema, { table })));
console.log(`port ${proxy.port}`);
