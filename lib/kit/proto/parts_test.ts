import assert from "node:assert/strict";
import {
  RouteActionSchema,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { create, fromBinary, toBinary, toBinaryInParts } from "./mod.ts";
import { UNDIVIDED } from "../base/mod.ts";

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
