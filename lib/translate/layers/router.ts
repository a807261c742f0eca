/**
 * The layers of gateways: they reach what their namespace reaches, and listen for what their
 * Gateways ask.
 *
 * @module
 */
import { labelsKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import { familyOf, flavourKey, flavourOf, type Placement } from "../context/mod.ts";
import { automaticPlace, placedKey } from "../gateways/mod.ts";
import { collection, TYPE_URLS } from "../resources/mod.ts";
import { clusterKind } from "../settings/mod.ts";
import { clusterLayers, endpointLayers, placedClusters, placedEndpoints } from "./outbound.ts";
import type { Parts } from "./parts.ts";
import { credentialLayer, ruleCredentials, secretLayer } from "./secrets.ts";

/** A gateway reaches what its namespace reaches, and listens for what its Gateways ask. */
export function routerLayers(
  parts: Parts,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls } = placement;
  const { features } = parts.context;
  const family = familyOf(cls);
  const flavour = flavourKey(flavourOf(cls, placement.telemetry));
  const scope = labelsKeys.encode({
    namespace: features.scopeGatewayToNamespace ? cls.namespace : "",
    labels: cls.labels,
  });
  return new Map([
    [TYPE_URLS.cluster, [
      collection(parts, `cluster/router/${family}`, () => ({
        members: { list: [family] },
        resources: parts.own.routerClusters,
      })),
      collection(parts, `cluster/automatic/${family}/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.automatic.hosts, `${cls.namespace}|${scope}`] },
        resources: parts.automatic.clusters,
        keyOf: (host) => `${family}.router|${cls.namespace}|${host}`,
      })),
      ...features.filterGatewayClusters ? gatewayClusters(parts, placement, scope) : [
        ...placedClusters(parts, placement),
        ...clusterLayers(parts, cls.namespace, clusterKind(cls)),
      ],
    ]],
    [TYPE_URLS.endpoint, [
      automaticEndpoints(parts, placement, scope),
      ...placedEndpoints(parts, placement),
      ...endpointLayers(parts, cls.namespace),
    ]],
    [TYPE_URLS.secret, [
      secretLayer(parts, cls),
      ...(cls.options.LOCAL === "true"
        ? [credentialLayer(parts, cls.namespace, scope), ruleCredentials(parts, cls.namespace)]
        : []),
    ]],
    [TYPE_URLS.listener, [
      collection(parts, `listener/gateway/${flavour}/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.gateways.portKeys, scope] },
        resources: parts.gateways.listeners,
        keyOf: (port) => `${flavour}|${cls.namespace}|${port}|${scope}`,
      })),
    ]],
    [TYPE_URLS.route, [
      collection(parts, `route/gateway/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.gateways.tableKeys, scope] },
        resources: parts.gateways.routes,
        keyOf: (table) => `${cls.namespace}|${table}|${scope}`,
      })),
    ]],
  ]);
}

/** Endpoints of the services that a gateway sends connections on to by their names. */
function automaticEndpoints(parts: Parts, { cls, place }: Placement, scope: string): Collection {
  const { namespace } = cls;
  const at = automaticPlace(place);
  return collection(parts, `endpoint/automatic/${namespace}/${scope}|${at}`, () => ({
    members: { listFrom: [parts.automatic.hosts, `${namespace}|${scope}`] },
    resources: parts.automatic.assignments,
    keyOf: (host) => `${namespace}|${host}|${at}`,
  }));
}

/** The clusters that a gateway can send something to, and no others. */
function gatewayClusters(parts: Parts, { cls, place }: Placement, scope: string): Collection[] {
  const { namespace } = cls;
  const kind = clusterKind(cls);
  const at = placedKey(namespace, scope, place);
  const everywhere = collection(parts, `cluster/${kind}/used/${namespace}/${scope}`, () => ({
    members: { listFrom: [parts.gatewayClusters.hosts, `${namespace}|${scope}`] },
    resources: parts.clusters.base,
    keyOf: (host) => `${kind}|${namespace}|${host}`,
  }));
  if (place === "") return [everywhere];
  const here = collection(parts, `cluster/${kind}/used/placed/${at}`, () => ({
    members: { listFrom: [parts.gatewayClusters.placed, at] },
    resources: parts.clusters.placed,
    keyOf: (host) => `${kind}|${namespace}|${host}|${place}`,
  }));
  return [here, everywhere];
}
