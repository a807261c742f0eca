/**
 * Conversion of XBackends to services: a ServiceEntry, and with TLS a DestinationRule.
 *
 * @module
 */
import type { XBackend } from "#mesh/gateway/v1/backend_pb.ts";
import {
  type DestinationRule,
  DestinationRuleSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location as Location,
  ServiceEntry_Resolution as Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { BACKEND_PORT, backendHost, type BoundBackend } from "../binding/api_backends.ts";
import { tlsSettings } from "./backend_tls.ts";
import { GENERATED, generatedRow, PARENTS_ANNOTATION, type RowIdentity } from "./rows.ts";

/** Protocols of requests in HTTP/2 from the first byte. */
const HTTP2 = ["HTTP2", "H2C"];

/** The service that an XBackend becomes; the port of the external host is that of its endpoint. */
export function backendEntry(backend: ConfigObject<XBackend>): ConfigObject<ServiceEntry> {
  const { spec: { externalHostname, port, protocol }, meta } = backend;
  const spec = create(ServiceEntrySchema, {
    hosts: [backendHost(meta)],
    location: Location.MESH_EXTERNAL,
    resolution: Resolution.DNS,
    ports: [{
      number: BACKEND_PORT,
      name: "http",
      protocol: HTTP2.includes(protocol) ? "HTTP2" : "HTTP",
      targetPort: port?.port ?? 0,
    }],
    endpoints: [{ address: externalHostname?.hostname ?? "" }],
  });
  return generatedRow(ServiceEntrySchema, spec, rowOf(backend, "ServiceEntry"));
}

/** The TLS of an XBackend; undefined: none. */
export function backendRule(
  backend: ConfigObject<XBackend>,
  { validation }: BoundBackend,
): ConfigObject<DestinationRule> | undefined {
  const { spec: { externalHostname, tls }, meta } = backend;
  if (tls?.mode !== "ServerOnly") return undefined;
  const stated = tls.validation ?? { hostname: externalHostname?.hostname ?? "" };
  const spec = create(DestinationRuleSchema, {
    host: backendHost(meta),
    trafficPolicy: { tls: tlsSettings(stated, validation ?? SYSTEM) },
  });
  return generatedRow(DestinationRuleSchema, spec, rowOf(backend, "DestinationRule"));
}

const SYSTEM = { authorities: { valid: [] }, system: true };

/** The name has a dot, which no name of a row of a Service has. */
function rowOf({ meta }: ConfigObject<XBackend>, kind: string): RowIdentity {
  const { namespace, name } = meta;
  return {
    kind,
    namespace,
    name: `${name}.xbackend-${GENERATED}`,
    annotations: { [PARENTS_ANNOTATION]: `XBackend/${name}.${namespace}` },
    from: meta,
  };
}
