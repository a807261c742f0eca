import assert from "node:assert/strict";
import fc from "fast-check";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { create, equals, fromBinary, toBinary } from "../../../kit/proto/mod.ts";
import {
  MAX_DIRECT_RESPONSE_BODY,
  renamedVirtualHost,
  routeConfiguration,
} from "./route_configuration.ts";

/** A virtual host with an encoded size of about `size` bytes. */
function hostOf(name: string, size: number): VirtualHost {
  return create(VirtualHostSchema, {
    name,
    domains: [name, "x".repeat(size)],
    routes: [{ name: "r", match: { pathSpecifier: { case: "prefix", value: "/" } } }],
  });
}

Deno.test("bytes put together equal the message built whole, for any hosts and options", () => {
  fc.assert(fc.property(
    fc.string(),
    // Sizes around which the length takes one byte more.
    fc.array(fc.tuple(fc.string(), fc.constantFrom(0, 1, 100, 127, 128, 16_383, 16_384, 70_000)), {
      maxLength: 5,
    }),
    fc.boolean(),
    fc.option(fc.nat(), { nil: undefined }),
    (name, parts, ignorePortInHostMatching, maxDirectResponseBodyBytes) => {
      const virtualHosts = parts.map(([host, size]) => hostOf(host, size));
      const bytes = routeConfiguration(
        name,
        virtualHosts.map((h) => toBinary(VirtualHostSchema, h)),
        { ignorePortInHostMatching, maxDirectResponseBodyBytes },
      );
      const expected = create(RouteConfigurationSchema, {
        name,
        virtualHosts,
        validateClusters: false,
        maxDirectResponseBodySizeBytes: maxDirectResponseBodyBytes ?? MAX_DIRECT_RESPONSE_BODY,
        ignorePortInHostMatching,
      });
      const decoded = fromBinary(RouteConfigurationSchema, bytes);
      assert.ok(equals(RouteConfigurationSchema, decoded, expected));
    },
  ));
});

Deno.test("each virtual host's bytes are copied as they are", () => {
  const host = toBinary(VirtualHostSchema, hostOf("a", 300));
  const bytes = routeConfiguration("80", [host, host]);
  assert.deepEqual(bytes.subarray(bytes.length - host.length), host);
});

Deno.test("a virtual host under another name is otherwise the same", () => {
  fc.assert(fc.property(
    fc.constantFrom("", "a", "a".repeat(126), "b".repeat(128), "\u00fc".repeat(9000)),
    fc.constantFrom("80/a:80", "c".repeat(127), "unix:///d/".padEnd(20_000, "e")),
    (before, after) => {
      const bytes = renamedVirtualHost(toBinary(VirtualHostSchema, hostOf(before, 3)), after);
      const expected = { ...hostOf(before, 3), name: after };
      assert.ok(equals(VirtualHostSchema, fromBinary(VirtualHostSchema, bytes), expected));
    },
  ));
});
