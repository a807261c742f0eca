import assert from "node:assert/strict";
import { encode } from "../../../kit/proto/mod.ts";
import { NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import { parseNode } from "./node.ts";

Deno.test("a node is parsed into its parts", () => {
  const node = parseNode(
    encode(NodeSchema, {
      id: "router~10.0.0.1~gateway.with.dots-7.mesh-system~mesh-system.svc.cluster.local",
      cluster: "gateway.mesh-system",
      locality: { region: "r", zone: "z", subZone: "s" },
      metadata: { INSTANCE_IPS: "10.0.0.1, fd00::1,nonsense", LABELS: { app: "gateway" } },
      userAgentName: "envoy",
      userAgentVersionType: {
        case: "userAgentBuildVersion",
        value: { version: { majorNumber: 1, minorNumber: 39, patch: 3 } },
      },
    }),
    "delta",
  );
  assert.deepEqual(node, {
    id: "router~10.0.0.1~gateway.with.dots-7.mesh-system~mesh-system.svc.cluster.local",
    role: "router",
    ip: "10.0.0.1",
    ips: ["10.0.0.1", "fd00::1"],
    name: "gateway.with.dots-7",
    namespace: "mesh-system",
    dnsDomain: "mesh-system.svc.cluster.local",
    cluster: "gateway.mesh-system",
    locality: { region: "r", zone: "z", subzone: "s" },
    metadata: { INSTANCE_IPS: "10.0.0.1, fd00::1,nonsense", LABELS: { app: "gateway" } },
    buildVersion: "1.39.3",
    userAgent: "envoy",
    transport: "delta",
  });
});

Deno.test("the address may come from the metadata, the version as text, the rest may be missing", () => {
  const node = parseNode(
    encode(NodeSchema, {
      id: "sidecar~~a.b~",
      metadata: { INSTANCE_IPS: "::1" },
      userAgentVersionType: { case: "userAgentVersion", value: "dev" },
    }),
    "sotw",
  );
  assert.equal(node.ip, "::1");
  assert.equal(node.buildVersion, "dev");
  assert.deepEqual(node.locality, { region: "", zone: "", subzone: "" });
});
