import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { AuthorizationSchema } from "#mesh/security/authorization_pb.ts";
import { AddressSchema, WorkloadSchema } from "#mesh/workload/workload_pb.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { typeUrl } from "../../../kit/proto/mod.ts";
import { AGENT_TYPE_URLS, PUSH_ORDER, TYPE_URLS, XDS_TYPES, xdsType } from "../mod.ts";

Deno.test("type URLs are those of the protocol's messages", () => {
  assert.deepEqual({ ...TYPE_URLS, ...AGENT_TYPE_URLS }, {
    cluster: typeUrl(ClusterSchema),
    endpoint: typeUrl(ClusterLoadAssignmentSchema),
    listener: typeUrl(ListenerSchema),
    route: typeUrl(RouteConfigurationSchema),
    virtualHost: typeUrl(VirtualHostSchema),
    secret: typeUrl(SecretSchema),
    extension: typeUrl(TypedExtensionConfigSchema),
    nameTable: typeUrl(NameTableSchema),
    proxyConfig: typeUrl(ProxyConfigSchema),
    address: typeUrl(AddressSchema),
    workload: typeUrl(WorkloadSchema),
    authorization: typeUrl(AuthorizationSchema),
  });
});

Deno.test("the push order has every type once, and a type follows the ones that it waits for", () => {
  assert.deepEqual([...PUSH_ORDER].sort(), Object.keys(XDS_TYPES).sort());
  for (const { name, dependent, parent } of Object.values(XDS_TYPES)) {
    const position = PUSH_ORDER.findIndex((one) => one === name);
    if (dependent) assert.ok(position < PUSH_ORDER.indexOf(dependent), name);
    if (parent) assert.ok(position > PUSH_ORDER.indexOf(parent), name);
  }
});

Deno.test("types are found by their URL, and every type has names of its own", () => {
  const types = Object.values(XDS_TYPES);
  for (const type of types) assert.equal(xdsType(type.url), type);
  // Workload discovery has two types, of which a client takes one.
  const names = types.filter(({ name }) => name !== "workload").map(({ short }) => short);
  assert.equal(new Set(names).size, types.length - 1);
  assert.equal(xdsType("type.googleapis.com/unknown.Type").short, "other");
});
