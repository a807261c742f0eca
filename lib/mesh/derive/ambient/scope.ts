/**
 * Services that other networks may reach.
 *
 * @module
 */
import { type Derived, type Read } from "../../graph/mod.ts";
import { selects } from "../../gateway_api/mod.ts";
import { objectKey, type ServiceKey, serviceKeys } from "../../model/mod.ts";
import {
  type LabelSelector,
  type MeshConfig_ServiceScopeConfigs as ScopeRule,
  MeshConfig_ServiceScopeConfigs_Scope as Scope,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { MeshField } from "../inputs/mod.ts";
import { definingEntries } from "../services/mod.ts";

/** Label of services that are global where the mesh configuration has no `serviceScopeConfigs`. */
const GLOBAL_LABEL = "mesh.io/global";

type Labels = Readonly<Record<string, string>>;

/** Creates the table: service → true if other networks may reach it. */
export function deriveGlobal(mesh: MeshInputs, field: MeshField): Derived<boolean, ServiceKey> {
  return mesh.graph.derive("ambient.global", serviceKeys, (read, key): boolean => {
    const rows = definingEntries(read, mesh, key);
    // The object of the daemon's own cluster counts, where there is one.
    const row = rows.find(({ meta }) => meta.origin.cluster === undefined) ?? rows[0];
    if (row === undefined || row.service?.alias !== undefined) return false;
    const rules = field(read, "serviceScopeConfigs");
    if (rules.length === 0) return row.meta.labels[GLOBAL_LABEL] === "true";
    return scopeOf(rules, row.meta.labels, namespaceLabels(read, mesh, key.namespace)) ===
      Scope.GLOBAL;
  });
}

function namespaceLabels(read: Read, { tables }: MeshInputs, name: string): Labels {
  return read.get(tables.namespaces, objectKey({ namespace: "", name }))?.meta.labels ?? {};
}

/** The scope of the first rule whose selectors both match; a selector that is not given matches. */
function scopeOf(rules: readonly ScopeRule[], service: Labels, namespace: Labels): Scope {
  const matches = (selector: LabelSelector | undefined, labels: Labels) =>
    selector === undefined || selects(selector, labels);
  return rules.find((rule) =>
    matches(rule.namespaceSelector, namespace) && matches(rule.servicesSelector, service)
  )?.scope ?? Scope.LOCAL;
}
