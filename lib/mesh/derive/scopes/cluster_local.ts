/**
 * Hosts that are local to clusters: a client sees only the endpoints of its own cluster.
 *
 * @module
 */
import { covers, isWildcard } from "../../model/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";

/** `serviceSettings` of the mesh configuration. */
export type ServiceSettings = MeshConfig["serviceSettings"];

/** A host or pattern, and the setting for it. */
interface Rule {
  readonly pattern: string;
  readonly local: boolean;
}

/**
 * The settings, then the defaults: services of the orchestrator itself are local to clusters.
 *
 * @param domain DNS suffix of services
 */
function rulesOf(settings: ServiceSettings, domain: string): Rule[] {
  return [
    ...settings.flatMap(({ hosts, settings: one }) =>
      hosts.map((host) => ({ pattern: host.toLowerCase(), local: one?.clusterLocal === true }))
    ),
    { pattern: `*.kube-system.svc.${domain}`, local: true },
    { pattern: `kubernetes.default.svc.${domain}`, local: true },
  ];
}

/** Hosts and patterns that may be local to clusters. */
export function localPatterns(settings: ServiceSettings, domain: string): string[] {
  return rulesOf(settings, domain).filter(({ local }) => local).map(({ pattern }) => pattern);
}

/** Reports if a host is local to clusters: the narrowest setting decides, then the first one. */
export function isClusterLocal(settings: ServiceSettings, domain: string, host: string): boolean {
  const [narrowest] = rulesOf(settings, domain)
    .filter(({ pattern }) => pattern === host || covers(pattern, host))
    .sort((a, b) =>
      Number(isWildcard(a.pattern)) - Number(isWildcard(b.pattern)) ||
      b.pattern.length - a.pattern.length
    );
  return narrowest?.local === true;
}
