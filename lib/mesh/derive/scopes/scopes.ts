/**
 * Scopes: the hosts that a proxy may reach. Without a Sidecar these are the hosts
 * that its namespace sees; a Sidecar selects some of them.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  fromObject,
  hasLabels,
  objectKey,
  whyLater,
} from "../../model/mod.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { coveredHosts, type MeshInputs } from "../indexes/mod.ts";
import {
  type EgressKey,
  egressKeys,
  type Labels,
  type LabelsKey,
  labelsKeys,
  selectsConnections,
  selectsLabels,
} from "../inputs/mod.ts";
import { deriveOverlayHosts } from "./overlay_hosts.ts";
import type { Routes } from "../routes/mod.ts";
import {
  addAliasTargets,
  addDestinations,
  addEgressProxy,
  importHosts,
  type Imports,
} from "./scope_imports.ts";
import { deriveRouteHosts } from "./route_hosts.ts";
import type { Services } from "../services/mod.ts";

/** The derived tables about scopes. Lists are sorted. */
export interface Scopes {
  /**
   * Namespace → hosts for which it may see something else than everybody: hosts
   * named by its own and privately exported ServiceEntries, DestinationRules and
   * VirtualServices, names of services of the namespace, and hosts that are routed
   * to any of those.
   */
  readonly overlayHosts: Derived<readonly string[]>;
  /**
   * `""` → hosts that have routes at port 80 by VirtualServices for everybody, without a service
   * there; namespace → those that the namespace may see differently. A wildcard is one only while
   * no service with port 80 is covered by it: then it stands for its services.
   */
  readonly routeHosts: Derived<readonly string[]>;
  /** Namespace → hosts with HTTP rules that match source labels, as the namespace sees them. */
  readonly sourceLabelHosts: Derived<readonly string[]>;
  /** Namespace → hosts with TCP or TLS rules that match source labels, as the namespace sees them. */
  readonly sourceLabelConnections: Derived<readonly string[]>;
  /** Row key of the Sidecar that applies to a workload; `""` for none. */
  readonly sidecar: Derived<string, LabelsKey>;
  /**
   * Hosts that an egress listener imports; without a listener, those of all
   * listeners together with the destinations of their VirtualServices.
   */
  readonly egressHosts: Derived<readonly string[], EgressKey>;
  /** Such hosts that an egress listener imports VirtualServices for. */
  readonly egressRouteHosts: Derived<readonly string[], EgressKey>;
}

/** Creates the tables. */
export function deriveScopes(inputs: MeshInputs, services: Services, routes: Routes): Scopes {
  const { graph } = inputs;
  const imports: Imports = { inputs, services, routes };
  const egressHosts = deriveEgressHosts(imports);
  return {
    overlayHosts: deriveOverlayHosts(inputs, services),
    ...deriveRouteHosts(imports, egressHosts),
    ...deriveSourceLabels(imports),
    sidecar: graph.derive("scope.sidecar", labelsKeys, (read, key): string => {
      const chosen = selectSidecar(read, inputs, key);
      return chosen === undefined ? "" : objectKey(chosen.meta);
    }),
    egressHosts,
  };
}

function deriveSourceLabels(
  { inputs, routes }: Imports,
): Pick<Scopes, "sourceLabelHosts" | "sourceLabelConnections"> {
  const { graph, indexes, tables } = inputs;
  const covered = (read: Read, named: readonly string[]): string[] =>
    [...new Set(named.flatMap((name) => coveredHosts(read, indexes, name)))].sort();
  return {
    sourceLabelHosts: graph.derive(
      "scope.sourceLabelHosts",
      text,
      (read, namespace): readonly string[] =>
        covered(read, read.members(indexes.sourceLabelRouteHosts, "all")).filter((host) => {
          const route = read.get(routes.meshRoute, { namespace, host });
          const spec = read.get(routes.spec, route);
          return spec !== undefined && selectsLabels(spec);
        }),
    ),
    sourceLabelConnections: graph.derive(
      "scope.sourceLabelConnections",
      text,
      (read, namespace): readonly string[] =>
        covered(read, read.members(indexes.sourceLabelConnectionHosts, "all")).filter((host) => {
          const key = read.get(routes.meshRoute, { namespace, host });
          const row = key === "" ? undefined : read.get(tables.virtualServices, key);
          return row !== undefined && selectsConnections(row.spec);
        }),
    ),
  };
}

function deriveEgressHosts(imports: Imports): Scopes["egressHosts"] {
  const { graph, tables } = imports.inputs;
  const egressHosts: Scopes["egressHosts"] = graph.derive(
    "scope.egressHosts",
    egressKeys,
    (read, { namespace, sidecar, listener }): readonly string[] => {
      const row = read.get(tables.sidecars, sidecar);
      if (row === undefined) return [];
      const proxies = { namespace, row };
      if (listener !== undefined) return importHosts(read, imports, proxies, listener);
      const all = new Set<string>();
      row.spec.egress.forEach((_, i) => {
        const key = { namespace, sidecar, listener: i };
        for (const host of read.follow(egressHosts, key)) all.add(host);
      });
      addEgressProxy(read, imports, proxies, all);
      addAliasTargets(read, imports, namespace, all);
      for (const host of [...all]) addDestinations(read, imports, { namespace, host }, all);
      return [...all].sort();
    },
  );
  return egressHosts;
}

/**
 * The Sidecar of a workload: the oldest of its namespace whose selector matches, else the
 * oldest one there without a selector, else the oldest of the root namespace without one.
 */
function selectSidecar(
  read: Read,
  inputs: MeshInputs,
  { namespace, labels }: LabelsKey,
): ConfigObject<Sidecar> | undefined {
  const own = sidecarsOf(read, inputs, namespace);
  const chosen = own.find((row) => selecting(row) && hasLabels(labels, selectorOf(row))) ??
    own.find((row) => !selecting(row));
  if (chosen === undefined) {
    const root = inputs.rootNamespace(read);
    const defaults = root === namespace
      ? []
      : sidecarsOf(read, inputs, root).filter((row) => !selecting(row));
    decideSidecar(read, defaults[0], [...own, ...defaults], labels);
    return defaults[0];
  }
  decideSidecar(read, chosen, own, labels);
  return chosen;
}

/** The Sidecars of a namespace, oldest first. */
function sidecarsOf(
  read: Read,
  { tables, indexes }: MeshInputs,
  namespace: string,
): ConfigObject<Sidecar>[] {
  return read.members(indexes.sidecarsByNamespace, namespace)
    .map((key) => read.get(tables.sidecars, key))
    .filter((row) => row !== undefined)
    .sort(byAge);
}

function selectorOf(row: ConfigObject<Sidecar>): Labels {
  return row.spec.workloadSelector?.labels ?? {};
}

function selecting(row: ConfigObject<Sidecar>): boolean {
  return Object.keys(selectorOf(row)).length > 0;
}

/** Records the choice of a Sidecar and why the others were not chosen. */
function decideSidecar(
  read: Read,
  chosen: ConfigObject<Sidecar> | undefined,
  rows: readonly ConfigObject<Sidecar>[],
  labels: Labels,
): void {
  if (chosen === undefined || read.decide === undefined) return;
  const why = (row: ConfigObject<Sidecar>): string =>
    selecting(row) && !hasLabels(labels, selectorOf(row))
      ? "it selects other workloads"
      : selecting(chosen) && !selecting(row)
      ? "one that selects the workload goes before one for all"
      : whyLater(row, chosen);
  read.decide({
    group: "sidecar",
    ...fromObject(chosen, "spec.workloadSelector"),
    passedOver: rows.filter((row) => row !== chosen)
      .map((row) => ({ ...fromObject(row, "spec.workloadSelector"), why: why(row) })),
  });
}
