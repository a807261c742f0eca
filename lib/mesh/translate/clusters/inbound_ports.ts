/**
 * The ports of the local workload: those that its Sidecar lists, otherwise those of the services
 * that it is an endpoint of.
 *
 * @module
 */
import type { ConnectionPoolSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as TlsMode,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  CaptureMode,
  type MeshIngressListener as IngressListener,
} from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { protocolOf } from "../../derive/mod.ts";
import { inboundClusterName } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  type Protocol,
  type ProxyClass,
  type Service,
  serviceKeys,
  type ServicePort,
} from "../../model/mod.ts";
import { followServiceRules, mergedPolicy } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { overTlsDefaults } from "../security/mod.ts";

/** One port of the workload. */
export interface InboundPort {
  /** The port of inbound connections. */
  readonly number: number;
  readonly protocol: Protocol;
  /** Address to bind to; `""`: the default of the class. */
  readonly bind: string;
  /** The listener binds to its own port, whatever the class does. */
  readonly bindToPort: boolean;
  /** See the Sidecar's ingress listener; `""`: the workload at the same port. */
  readonly defaultEndpoint: string;
  readonly services: readonly Pick<Service, "host" | "namespace">[];
  /** The port of the first service. */
  readonly servicePort?: Pick<ServicePort, "number" | "name">;
  readonly connectionPool?: ConnectionPoolSettings | undefined;
  /** Key of the rule that the pool comes from. */
  readonly rule?: string | undefined;
  /** TLS that the listener terminates in place of mutual TLS. */
  readonly tls?: ServerTLSSettings;
}

/** The ports of a class, sorted by number. */
export function inboundPorts(read: Read, context: Context, cls: ProxyClass): InboundPort[] {
  const { mesh } = context;
  const workload = { namespace: cls.namespace, labels: cls.labels };
  const sidecarKey = read.follow(mesh.scopes.sidecar, workload);
  const sidecar = sidecarKey === "" ? undefined : read.get(mesh.tables.sidecars, sidecarKey)?.spec;
  const ingress = sidecar?.ingress ?? [];
  const pool = sidecar?.inboundConnectionPool;
  const listed = ingress.map((listener) => ingressPort(read, context, listener, pool));
  for (const [i, { number }] of listed.entries()) {
    read.within(inboundClusterName(number)).decide?.({
      group: "port",
      source: "object",
      object: `Sidecar/${sidecarKey}`,
      field: `spec.ingress[${i}]`,
    });
  }
  const exclusive = listed.length > 0 && !context.features.ingressBesideServices;
  const served = exclusive ? [] : servicePorts(read, context, cls)
    // The Sidecar's listener of a port overrides that of a service.
    .filter(({ number }) => !listed.some((one) => one.number === number))
    .map((port) => pool === undefined ? port : { ...port, connectionPool: pool, rule: undefined });
  return [...listed, ...served].sort((a, b) => a.number - b.number);
}

/** The port of an ingress listener. */
function ingressPort(
  read: Read,
  { mesh, features }: Context,
  listener: IngressListener,
  pool: ConnectionPoolSettings | undefined,
): InboundPort {
  return {
    number: listener.port?.number ?? 0,
    protocol: protocolOf(listener.port?.protocol ?? ""),
    bind: listener.bind,
    bindToPort: listener.captureMode === CaptureMode.NONE,
    defaultEndpoint: listener.defaultEndpoint,
    services: [],
    connectionPool: listener.connectionPool ?? pool,
    ...features.tlsOnIngress && terminatesTls(listener.tls) && {
      tls: overTlsDefaults(read, { mesh, features }, listener.tls),
    },
  };
}

/**
 * Reports if a listener terminates TLS, with certificates that are files on the proxy's machine.
 */
function terminatesTls(tls: ServerTLSSettings | undefined): tls is ServerTLSSettings {
  const { SIMPLE, MUTUAL, OPTIONAL_MUTUAL } = TlsMode;
  return tls !== undefined && [SIMPLE, MUTUAL, OPTIONAL_MUTUAL].includes(tls.mode) &&
    (tls.serverCertificate !== "" || tls.tlsCertificates.length > 0);
}

/** One port for each target port. Several services may share it; the first by key decides its protocol. */
function servicePorts(read: Read, context: Context, cls: ProxyClass): InboundPort[] {
  const ports = new Map<
    number,
    InboundPort & { services: Pick<Service, "host" | "namespace">[] }
  >();
  for (const target of cls.targets) {
    const service = read.get(context.mesh.services.service, serviceKeys.decode(target.service));
    const port = service?.ports.find((p) => p.number === target.port);
    if (service === undefined || port === undefined || port.protocol === "UDP") continue;
    const known = ports.get(target.targetPort);
    const inside = read.within(inboundClusterName(target.targetPort));
    inside.decide?.({
      group: known === undefined ? "port" : "port shared",
      source: "object",
      object: service.source,
      field: "spec.ports",
      value: `${service.host}:${port.number}`,
    });
    if (known !== undefined) {
      known.services.push({ host: service.host, namespace: service.namespace });
      continue;
    }
    ports.set(target.targetPort, {
      number: target.targetPort,
      protocol: port.protocol,
      bind: "",
      bindToPort: false,
      defaultEndpoint: "",
      services: [{ host: service.host, namespace: service.namespace }],
      servicePort: { number: port.number, name: port.name },
      ...poolOf(inside, context, cls.namespace, { service, port: port.number }),
    });
  }
  return [...ports.values()];
}

/** The connection pool of a service's port. */
function poolOf(
  read: Read,
  context: Context,
  namespace: string,
  { service, port }: { readonly service: Service; readonly port: number },
): Pick<InboundPort, "connectionPool" | "rule"> {
  const chosen = followServiceRules(read, context, { namespace }, service.host);
  if (chosen === undefined || !serviceKeys.equal(chosen.service, service)) return {};
  const rules = read.get(context.mesh.policies.policy, chosen.rules);
  const { policy, decisions } = mergedPolicy(read, { rules, port });
  const decision = decisions.get("connectionPool");
  if (decision !== undefined) read.decide?.(decision);
  return { connectionPool: policy?.connectionPool, rule: rules.rules[0] };
}
