/**
 * The layers of proxies beside a workload: what is their class's own over what they reach.
 *
 * @module
 */
import { labelKeys, localityKeys } from "../../derive/mod.ts";
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import { flavourKey, flavourOf, parseFlavour, type Placement } from "../context/mod.ts";
import { egressCallersKey } from "../outbound/mod.ts";
import { collection, TYPE_URLS } from "../resources/mod.ts";
import { clusterKind } from "../settings/mod.ts";
import { egressKey } from "../sidecars/mod.ts";
import { egressLayers, namespaceLayers, placedClusters, placedEndpoints } from "./outbound.ts";
import type { Parts } from "./parts.ts";
import { skeletonLayers, tableLayers, virtualHostLayers } from "./routes.ts";
import { placeCredentials, secretLayer } from "./secrets.ts";

/** The layers of a proxy beside a workload. */
export function sidecarLayers(
  parts: Parts,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls, sidecar } = placement;
  const flavour = flavourKey(flavourOf(cls, placement.telemetry));
  const ns = cls.namespace;
  const labels = labelKeys.encode(cls.labels);
  const own = (type: "cluster" | "listener", table: Derived<readonly Resource[]>): Collection =>
    collection(parts, `${type}/class/${cls.key}`, () => ({
      members: { list: [cls.key] },
      resources: table,
    }));
  const proxied = collection(parts, `route/httpProxy/${sidecar}|${cls.key}`, () => ({
    members: { listFrom: [parts.httpProxy.members, `${sidecar}|${cls.key}`] },
    resources: parts.httpProxy.tables,
  }));
  const outbound = sidecar === ""
    ? namespaceLayers(parts, ns, clusterKind(cls), flavour)
    : egressLayers(parts, ns, sidecar, clusterKind(cls), flavour);
  const labelled = labelledListeners(parts, placement, flavour, labels);
  return new Map([
    [TYPE_URLS.cluster, [
      own("cluster", parts.own.clusters),
      ...placedClusters(parts, placement),
      ...outbound.clusters,
    ]],
    [TYPE_URLS.endpoint, [...placedEndpoints(parts, placement), ...outbound.endpoints]],
    [TYPE_URLS.listener, [
      own("listener", parts.own.listeners),
      labelled,
      ...outbound.listeners,
    ]],
    [TYPE_URLS.secret, [
      secretLayer(parts, cls),
      ...(cls.options.LOCAL === "true" && placement.place !== ""
        ? [placeCredentials(parts, placement)]
        : []),
    ]],
    ...(cls.options.VHDS === "true"
      ? [
        [TYPE_URLS.route, [proxied, ...skeletonLayers(parts.routes, ns, sidecar)]],
        [TYPE_URLS.virtualHost, virtualHostLayers(parts.routes, ns, sidecar, labels)],
      ] as const
      : [[TYPE_URLS.route, [proxied, ...tableLayers(parts.routes, ns, sidecar, labels)]]] as const),
  ]);
}

/** Listeners whose connections go elsewhere, or otherwise, for callers with these labels. */
function labelledListeners(
  parts: Parts,
  { cls, sidecar, place }: Placement,
  flavour: string,
  labels: string,
): Collection {
  const { members, listeners, egressMembers, egressListeners } = parts.labelledListeners;
  const ns = cls.namespace;
  const rules = place === "" ? "" : localityKeys.decode(place).rules.join(",");
  if (sidecar === "") {
    return collection(parts, `listener/${flavour}/labelled/${ns}|${rules}|${labels}`, () => ({
      members: { listFrom: [members, `${ns}|${rules}`] },
      resources: listeners,
      keyOf: (member) => `${flavour}|${ns}|${rules}|${member}|${labels}`,
    }));
  }
  const scope = `${ns}|${sidecar}`;
  const key = egressCallersKey(egressKey(scope, parseFlavour(flavour)), rules);
  return collection(parts, `listener/${flavour}/labelled/${scope}|${rules}|${labels}`, () => ({
    members: { listFrom: [egressMembers, key] },
    resources: egressListeners,
    keyOf: (member) => `${flavour}|${scope}|${rules}|${member}|${labels}`,
  }));
}
