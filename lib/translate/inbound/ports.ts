/**
 * The ports on which the workload beside a proxy is reached: those that its
 * Sidecar lists, else those of the services it is an endpoint of.
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
import { lookUp, protocolOf, ruleKeys, type Tell, type Told, within } from "../../derive/mod.ts";
import { inboundClusterName } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  type Protocol,
  type ProxyClass,
  type Service,
  serviceKeys,
  type ServicePort,
} from "../../model/mod.ts";
import { type Context, mergeTrafficPolicy, notingListener, pick } from "../context/mod.ts";
import { overTlsDefaults } from "../settings/mod.ts";

/** One port of the workload. */
export interface InboundPort {
  /** Where connections come in. */
  readonly number: number;
  readonly protocol: Protocol;
  /** Address to bind to; `""`: as the class does. */
  readonly bind: string;
  /** Binds to its own port, whatever the class does. */
  readonly bindToPort: boolean;
  /** As in a Sidecar's ingress listener; `""`: the workload at the same port. */
  readonly defaultEndpoint: string;
  readonly services: readonly Pick<Service, "host" | "namespace">[];
  /** The port of the first of the services. */
  readonly servicePort?: Pick<ServicePort, "number" | "name">;
  readonly connectionPool?: ConnectionPoolSettings;
  /** Key of the rule that the pool is from. */
  readonly rule?: string;
  /** TLS of clients that ends here, whatever the mesh's own is like. */
  readonly tls?: ServerTLSSettings;
}

/** The ports of a class, sorted by number. */
export function inboundPorts(
  read: Read,
  context: Context,
  cls: ProxyClass,
  tell?: Tell,
): InboundPort[] {
  const { mesh } = context;
  const sidecarKey = lookUp(
    read,
    mesh.scopes.sidecar,
    { namespace: cls.namespace, labels: cls.labels },
    tell,
  );
  const sidecar = sidecarKey === "" ? undefined : read.get(mesh.tables.sidecars, sidecarKey)?.spec;
  const ingress = sidecar?.ingress ?? [];
  const pool = sidecar?.inboundConnectionPool;
  const named = ingress.map((listener) => ingressPort(read, listener, pool, context));
  for (const [i, { number }] of named.entries()) {
    within(tell, partOf(number))?.({
      group: "port",
      source: "object",
      object: `Sidecar/${sidecarKey}`,
      field: `spec.ingress[${i}]`,
    });
  }
  const alone = named.length > 0 && !context.features.ingressBesideServices;
  const served = alone ? [] : targetPorts(read, context, cls, tell)
    // What the Sidecar says of a port goes before.
    .filter(({ number }) => !named.some((one) => one.number === number))
    .map((port) => pool === undefined ? port : { ...port, connectionPool: pool, rule: undefined });
  return [...named, ...served].sort((a, b) => a.number - b.number);
}

/** The port of an ingress listener. */
function ingressPort(
  read: Read,
  listener: IngressListener,
  pool: ConnectionPoolSettings | undefined,
  { mesh, features }: Context,
): InboundPort {
  return {
    number: listener.port?.number ?? 0,
    protocol: protocolOf(listener.port?.protocol ?? ""),
    bind: listener.bind,
    bindToPort: listener.captureMode === CaptureMode.NONE,
    defaultEndpoint: listener.defaultEndpoint,
    services: [],
    connectionPool: listener.connectionPool ?? pool,
    ...features.tlsOnIngress && endsTls(listener.tls) && {
      tls: overTlsDefaults(read, mesh, listener.tls),
    },
  };
}

/** Whether TLS ends at the listener, with certificates that are files beside the proxy. */
function endsTls(tls: ServerTLSSettings | undefined): tls is ServerTLSSettings {
  const { SIMPLE, MUTUAL, OPTIONAL_MUTUAL } = TlsMode;
  return tls !== undefined && [SIMPLE, MUTUAL, OPTIONAL_MUTUAL].includes(tls.mode) &&
    (tls.serverCertificate !== "" || tls.tlsCertificates.length > 0);
}

/** How a port of the workload is named in what is told. */
export function partOf(port: number): string {
  return inboundClusterName(port);
}

/** One port for each target port; several services may share it, the first by key decides its protocol. */
function targetPorts(
  read: Read,
  context: Context,
  cls: ProxyClass,
  tell: Tell | undefined,
): InboundPort[] {
  const ports = new Map<
    number,
    InboundPort & { services: Pick<Service, "host" | "namespace">[] }
  >();
  for (const target of cls.targets) {
    const service = read.get(context.mesh.services.service, serviceKeys.decode(target.service));
    const port = service?.ports.find((p) => p.number === target.port);
    if (service === undefined || port === undefined || port.protocol === "UDP") continue;
    const known = ports.get(target.targetPort);
    const inside = within(tell, partOf(target.targetPort));
    inside?.({
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
      ...poolOf(read, context, cls.namespace, service, port.number, inside),
    });
  }
  return [...ports.values()];
}

function poolOf(
  read: Read,
  context: Context,
  namespace: string,
  service: Service,
  port: number,
  tell: Tell | undefined,
): Pick<InboundPort, "connectionPool" | "rule"> {
  const chosen = pick(read, context, namespace, service.host, tell);
  if (chosen === undefined || chosen.service !== service.key) return {};
  const policy = read.get(context.mesh.policies.policy, ruleKeys.decode(chosen.rules));
  const groups = tell && new Map<string, Told>();
  const merged = mergeTrafficPolicy(
    policy.trafficPolicy,
    undefined,
    port,
    undefined,
    groups && notingListener(groups, policy, undefined),
  );
  const pool = groups?.get("connectionPool");
  if (pool !== undefined) tell?.(pool);
  return { connectionPool: merged?.connectionPool, rule: policy.rules[0] };
}
