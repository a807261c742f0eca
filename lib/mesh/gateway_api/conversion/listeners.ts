/**
 * Conversion of listeners of the Gateway API to Gateways of Mesh, one for each listener.
 *
 * @module
 */
import {
  type Gateway as MeshGateway,
  GatewaySchema,
  ServerTLSSettings_TLSmode as TlsMode,
  ServerTLSSettingsSchema,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import {
  type ConfigObject,
  type DeployedGateway,
  type ObjectKey,
  objectKey,
} from "../../model/mod.ts";
import { deployedAccount, hostsOfGateway, isDeployed } from "../binding/addresses.ts";
import type { ResolvedRefs } from "../binding/certificates.ts";
import type { BoundGateway } from "../binding/gateways.ts";
import { TLS_MODE_OPTION } from "../binding/kinds.ts";
import type { BoundListener } from "../binding/listeners.ts";
import type { NamespaceLookup } from "../binding/lookups.ts";
import { allowsNamespace } from "../binding/namespaces.ts";
import type { Gateway } from "../binding/objects.ts";
import {
  GATEWAY_SEMANTICS,
  GATEWAY_SERVICE,
  GENERATED,
  generatedRow,
  PARENTS_ANNOTATION,
} from "./rows.ts";

/** Option of TLS with the way in which connections are handled. */
const LISTENER_MODE_OPTION = "gateway.mesh.io/listener-protocol";
/** Label of a Gateway with the network that it is an entrance to. */
const NETWORK_LABEL = "topology.mesh.io/network";
/** Label of a Gateway with the port for connections from other networks. */
const NETWORK_PORT_LABEL = "networking.mesh.io/gatewayPort";
const NETWORK_PORT = "15443";

/** The lookups of `convertGateway`. */
export interface ListenerLookups extends NamespaceLookup {
  /** The names of all namespaces, sorted. */
  namespaces(): readonly string[];
}

/** The row key of the Gateway of a listener. */
export function listenerKey({ owner, name }: {
  readonly owner: ObjectKey;
  readonly name: string;
}): string {
  return objectKey({ namespace: owner.namespace, name: listenerRowName(owner.name, name) });
}

function listenerRowName(owner: string, listener: string): string {
  return `${owner}-${GENERATED}-${listener}`;
}

/** The Gateways of a Gateway of the API: one for each listener that proxies are given. */
export function convertGateway(
  gateway: Gateway,
  bound: BoundGateway,
  domain: string,
  look: ListenerLookups,
): readonly ConfigObject<MeshGateway>[] {
  if (bound.role === "remote" || bound.rejected !== undefined) return [];
  const { className } = bound;
  const services = hostsOfGateway(gateway, { className, domain });
  const deployed = deploymentOf(gateway, className);
  return bound.listeners.filter(({ programmed }) => programmed).map((listener) => {
    const { owner, spec } = listener;
    const row = generatedRow(
      GatewaySchema,
      create(GatewaySchema, serverOf(listener, gateway, look)),
      {
        kind: "Gateway",
        namespace: owner.namespace,
        name: listenerRowName(owner.name, spec.name),
        annotations: {
          [GATEWAY_SEMANTICS]: "gateway",
          [GATEWAY_SERVICE]: services.join(","),
          [PARENTS_ANNOTATION]: `${owner.kind}/${owner.name}/${spec.name}.${owner.namespace}`,
        },
        from: gateway.meta,
        ...deployed === undefined ? {} : { facts: { ...deployed } },
      },
    );
    return deployed === undefined ? row : { ...row, deployed };
  });
}

/** The workloads that Mesh makes for a Gateway; `undefined`: others make them. */
function deploymentOf({ meta, spec }: Gateway, className: string): DeployedGateway | undefined {
  if (!isDeployed(spec)) return undefined;
  const { namespace, name } = meta;
  return { namespace, name, serviceAccount: deployedAccount(meta, className).name };
}

function serverOf(
  listener: BoundListener,
  gateway: Gateway,
  look: ListenerLookups,
): MessageInitShape<typeof GatewaySchema> {
  const { spec } = listener;
  const tls = tlsOf(listener, gateway);
  return {
    servers: [{
      hosts: hostsOf(listener, look),
      port: { name: "default", number: spec.port, protocol: spec.protocol },
      ...(tls === undefined ? {} : { tls }),
    }],
  };
}

/** The hosts of a server, with the namespaces whose routes may use them; `~`: none may. */
function hostsOf({ spec, owner }: BoundListener, look: ListenerLookups): string[] {
  const host = spec.hostname || "*";
  const allowed = spec.allowedRoutes?.namespaces;
  const own = owner.namespace;
  const from = allowed?.from || "Same";
  if (from === "All") return [`*/${host}`];
  if (from === "Same") return [`${own}/${host}`];
  const named = from === "Selector" ? look.namespaces() : [];
  const hosts = named.filter((namespace) =>
    allowsNamespace(allowed, "Same", { namespace, own }, look)
  )
    .map((namespace) => `${namespace}/${host}`);
  return hosts.length > 0 ? hosts : [`~/${host}`];
}

type Tls = MessageInitShape<typeof ServerTLSSettingsSchema>;

function tlsOf(listener: BoundListener, gateway: Gateway): Tls | undefined {
  const { spec: { protocol, tls }, certificates, frontend } = listener;
  if (protocol !== "HTTPS" && protocol !== "TLS") return undefined;
  if (tls?.mode === "Passthrough") {
    return {
      mode: isAutomatic(listener.spec, gateway) ? TlsMode.AUTO_PASSTHROUGH : TlsMode.PASSTHROUGH,
    };
  }
  const mode = tls?.options?.[TLS_MODE_OPTION];
  if (mode === "MESH_MUTUAL") return { mode: TlsMode.MESH_MUTUAL };
  const own = namesOf(certificates);
  const presented = own.length > 1 ? { credentialNames: own } : { credentialName: own[0] ?? "" };
  if (frontend !== undefined) {
    const [authority = ""] = namesOf(frontend.authorities);
    return {
      mode: frontend.insecureFallback ? TlsMode.OPTIONAL_MUTUAL : TlsMode.MUTUAL,
      // Certificates of other authorities are accepted, too.
      insecureSkipVerify: frontend.insecureFallback,
      ...presented,
      caCertCredentialName: authority,
    };
  }
  return { mode: mode === "MUTUAL" ? TlsMode.MUTUAL : TlsMode.SIMPLE, ...presented };
}

/** The names under which proxies fetch certificates. */
function namesOf({ valid }: ResolvedRefs): string[] {
  return valid.map(({ kind, namespace, name }) => {
    const scheme = kind === "ConfigMap" ? "configmap" : "kubernetes-gateway";
    return `${scheme}://${namespace}/${name}`;
  });
}

/** Reports if a listener forwards connections to the cluster that their server name names. */
export function isAutomatic(
  { port, tls }: BoundListener["spec"],
  { meta: { labels } }: Pick<Gateway, "meta">,
): boolean {
  if (tls?.options?.[LISTENER_MODE_OPTION] === "auto-passthrough") return true;
  if (labels[NETWORK_LABEL] === undefined) return false;
  return String(port) === (labels[NETWORK_PORT_LABEL] ?? NETWORK_PORT);
}
