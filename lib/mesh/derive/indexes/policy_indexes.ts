/**
 * Indexes over DestinationRules and Sidecars.
 *
 * @module
 */
import { type Graph, type Index, type IndexCodecs, text } from "../../graph/mod.ts";
import { type ConfigObject, failoverLabels, fullHost } from "../../model/mod.ts";
import type {
  DestinationRule,
  Subset,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type Tables, visibilityOf } from "../inputs/mod.ts";

/** Indexes over DestinationRules and Sidecars; see `Indexes`. */
export interface PolicyIndexes {
  /** Host or pattern → row keys of the DestinationRules that name it. */
  readonly rulesByHost: Index;
  /** Namespace → hosts and patterns named by DestinationRules of that namespace, or exported to it alone. */
  readonly ruleHostsSeenBy: Index;
  /**
   * `all` → hosts and patterns of DestinationRules under which the locality of the
   * client matters: with outlier detection, or with distribution between localities.
   */
  readonly localityRuleHosts: Index;
  /** Namespace → row keys of DestinationRules that select workloads there by labels. */
  readonly selectingRules: Index;
  /** `all` → names of the credentials that rules name. */
  readonly credentialRules: Index;
  /** `all` → keys of the labels that failover priorities compare. */
  readonly failoverLabels: Index;
  /** Namespace → row keys of Sidecars. */
  readonly sidecarsByNamespace: Index;
}

/** Reports if a rule applies only to workloads that it selects by labels. */
export function selectsWorkloads({ workloadSelector }: DestinationRule): boolean {
  return Object.keys(workloadSelector?.matchLabels ?? {}).length > 0;
}

/** A policy, or a port's part of one. */
type AnyPolicy = Pick<TrafficPolicy, "loadBalancer" | "outlierDetection" | "tls">;

/** Every policy of a rule: of its host, of subsets, and of ports. */
export function policiesOf(
  { trafficPolicy, subsets }: Pick<DestinationRule, "trafficPolicy"> & {
    readonly subsets: readonly Subset[];
  },
): AnyPolicy[] {
  return [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)]
    .filter((policy) => policy !== undefined)
    .flatMap((policy) => [policy, ...policy.portLevelSettings]);
}

/** Reports if the locality of the client matters under a policy. */
function usesLocality({ loadBalancer, outlierDetection }: AnyPolicy): boolean {
  return outlierDetection !== undefined ||
    (loadBalancer?.localityLbSetting?.distribute.length ?? 0) > 0;
}

/** Buckets and members of most indexes here: hosts, namespaces, row keys. */
const TEXTS: IndexCodecs<string, string> = { bucket: text, member: text };

type Row = ConfigObject<DestinationRule>;
type RuleEntries = (row: Row, key: string) => Iterable<readonly [bucket: string, member: string]>;

/** Creates the indexes over rules, and over Sidecars. */
export function policyIndexes(graph: Graph, tables: Tables, domain: string): PolicyIndexes {
  const rules = (name: string, entries: RuleEntries): Index =>
    graph.index(tables.destinationRules, `DestinationRule.${name}`, TEXTS, entries);
  const host = (row: Row): string => fullHost(row.spec.host, row.meta.namespace, domain);
  return {
    rulesByHost: rules("host", function* (row, key) {
      yield [host(row), key];
    }),
    ruleHostsSeenBy: rules("seenBy", function* (row) {
      const visibility = visibilityOf(row.spec.exportTo, row.meta.namespace);
      const own = new Set([row.meta.namespace, ...(visibility === "public" ? [] : visibility)]);
      for (const ns of own) yield [ns, host(row)];
    }),
    localityRuleHosts: rules("locality", function* (row) {
      if (policiesOf(row.spec).some(usesLocality)) yield ["all", host(row)];
    }),
    selectingRules: rules("selecting", function* (row, key) {
      if (selectsWorkloads(row.spec)) yield [row.meta.namespace, key];
    }),
    credentialRules: rules("credentials", function* (row) {
      for (const { tls } of policiesOf(row.spec)) {
        if (tls?.credentialName) yield ["all", tls.credentialName];
      }
    }),
    failoverLabels: rules("failoverLabels", function* (row) {
      for (const { loadBalancer } of policiesOf(row.spec)) {
        for (const key of failoverLabels(loadBalancer?.localityLbSetting)) yield ["all", key];
      }
    }),
    sidecarsByNamespace: graph.index(
      tables.sidecars,
      "Sidecar.namespace",
      TEXTS,
      function* (row: ConfigObject<Sidecar>, key) {
        yield [row.meta.namespace, key];
      },
    ),
  };
}
