import assert from "node:assert/strict";
import {
  RouteActionSchema,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
import { type PrincipalSchema, RBAC_Action, RBACSchema } from "#envoy/config/rbac/v3/rbac_pb.ts";
import { create, fromBinary, type MessageInitShape, toBinary, toBinaryInParts } from "./mod.ts";
import { type Parts, UNDIVIDED } from "../base/mod.ts";

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 2_000 }, (_, i) => make(i));

Deno.test("bytes in parts are those of the whole", () => {
  const host = create(VirtualHostSchema, {
    name: "a",
    domains: many((i) => `h${i}`),
    routes: many((i) => ({ name: `r${i}`, statPrefix: "s" })),
    requestHeadersToRemove: ["x"],
    includeRequestAttemptCount: true,
    typedPerFilterConfig: { a: { typeUrl: "t", value: new Uint8Array([1]) } },
  });
  const listener = create(ListenerSchema, {
    name: "l",
    listenerSpecifier: { case: "internalListener", value: {} },
    address: { address: { case: "socketAddress", value: { address: "1.1.1.1" } } },
    filterChains: many((i) => ({ name: `c${i}`, filterChainMatch: { serverNames: [`${i}`] } })),
    freebind: true,
    statPrefix: "s",
  });
  assert.deepEqual(
    toBinaryInParts(UNDIVIDED, VirtualHostSchema, host),
    toBinary(VirtualHostSchema, host),
  );
  assert.deepEqual(
    toBinaryInParts(UNDIVIDED, ListenerSchema, listener),
    toBinary(ListenerSchema, listener),
  );
});

Deno.test("long lists and maps of nested messages are encoded in parts, to the same bytes", () => {
  const ids = many((i): MessageInitShape<typeof PrincipalSchema> => ({
    identifier: { case: "directRemoteIp", value: { addressPrefix: `10.0.0.${i}`, prefixLen: 24 } },
  }));
  const rules = create(RBACSchema, {
    action: RBAC_Action.DENY,
    policies: {
      ...Object.fromEntries(many((i) => [`${i}-a`, {
        permissions: [{ rule: { case: "any", value: true } }],
        principals: [{ identifier: { case: "header", value: { name: `h${i}` } } }],
      }])),
      large: { principals: [{ identifier: { case: "orIds", value: { ids } } }] },
      "": { principals: [{ identifier: { case: "orIds", value: { ids } } }] },
    },
  });
  const struct = Object.fromEntries(many((i) => [`k${i}`, { a: [i, null] }]));
  const metadata = create(MetadataSchema, { filterMetadata: { a: struct } });
  let count = 0;
  const counted: Parts = { part: (compute) => (count++, compute()) };
  assert.deepEqual(toBinaryInParts(counted, RBACSchema, rules), toBinary(RBACSchema, rules));
  // 2,002 policies, and twice 2,000 addresses.
  assert.equal(count, 3 * 8);
  assert.deepEqual(
    toBinaryInParts(counted, MetadataSchema, metadata),
    toBinary(MetadataSchema, metadata),
  );
});

Deno.test("oneofs after a long list and unknown fields keep their place", () => {
  const action = create(RouteActionSchema, {
    clusterSpecifier: { case: "cluster", value: "c" },
    requestMirrorPolicies: many((i) => ({ cluster: `m${i}` })),
    hostRewriteSpecifier: { case: "hostRewriteLiteral", value: "h" },
    priority: 1,
  });
  const bytes = toBinary(RouteActionSchema, action);
  assert.deepEqual(toBinaryInParts(UNDIVIDED, RouteActionSchema, action), bytes);
  // Field 1000 with the number 7.
  const unknown = fromBinary(RouteActionSchema, new Uint8Array([...bytes, 0xc0, 0x3e, 7]));
  assert.equal(unknown.$unknown?.length, 1);
  assert.deepEqual(
    toBinaryInParts(UNDIVIDED, RouteActionSchema, unknown),
    toBinary(RouteActionSchema, unknown),
  );
});
