/**
 * The status of objects of ambient mode: derived tables.
 *
 * @module
 */
import { type Derived, type KeyCodec, oneOf, pathOf, type Read, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKey } from "../../model/mod.ts";
import type { PolicyTargetReference } from "#mesh/type/v1beta1/selector_pb.ts";
import {
  type AmbientCondition,
  type AmbientStatus,
  bindingConditions,
  isWaypointPolicy,
  nodeProxyCondition,
  type PolicyTarget,
  type TargetFate,
  type WaypointBinding,
  waypointCondition,
} from "../../ambient/mod.ts";
import type { GatewayApi } from "../gateway_api/mod.ts";
import type { AmbientTables } from "./ambient.ts";

/** Kinds whose objects have conditions of ambient mode. */
export const AMBIENT_STATUS_KINDS = [
  "Service",
  "ServiceEntry",
  "WorkloadEntry",
  "AuthorizationPolicy",
] as const;

/** An object with a status. */
export interface AmbientObject extends ObjectKey {
  readonly kind: typeof AMBIENT_STATUS_KINDS[number];
}

const keys: KeyCodec<AmbientObject> = pathOf<AmbientObject>({
  kind: oneOf(...AMBIENT_STATUS_KINDS),
  namespace: text,
  name: text,
});

/** An object → its conditions of ambient mode. */
export type AmbientStatusTable = Derived<AmbientStatus, AmbientObject>;

/** Creates the table. */
export function deriveAmbientStatus(
  inputs: AmbientTables,
  gatewayApi: GatewayApi,
): AmbientStatusTable {
  const { mesh: { graph } } = inputs;
  return graph.derive("ambient.status", keys, (read, { kind, ...key }): AmbientStatus => ({
    conditions: kind === "AuthorizationPolicy"
      ? ofPolicy(read, { inputs, gatewayApi }, key)
      : bindingConditions(bindingOf(read, inputs, kind, key) ?? { ingress: false }),
  }));
}

/** The waypoints of an object; undefined: there is no such object. */
function bindingOf(
  read: Read,
  { mesh: { tables, domain }, waypoints }: AmbientTables,
  kind: string,
  key: ObjectKey,
): WaypointBinding | undefined {
  const { namespace, name } = key;
  switch (kind) {
    case "Service":
      return read.get(waypoints.ofService, {
        namespace,
        host: `${name}.${namespace}.svc.${domain}`,
      });
    case "ServiceEntry": {
      const row = read.get(tables.serviceEntries, objectKey(key));
      return row && waypoints.bindService(read, row);
    }
    case "WorkloadEntry":
      return read.get(waypoints.ofWorkload, objectKey(key));
    default:
      return undefined;
  }
}

interface PolicyInputs {
  readonly inputs: AmbientTables;
  readonly gatewayApi: GatewayApi;
}

function ofPolicy(read: Read, at: PolicyInputs, key: ObjectKey): readonly AmbientCondition[] {
  const { mesh: { tables }, policies } = at.inputs;
  const row = read.get(tables.authorizationPolicies, objectKey(key));
  if (row === undefined) return [];
  if (!isWaypointPolicy(row.spec)) {
    const translated = read.get(policies.translated, objectKey(key));
    return translated === undefined ? [] : [nodeProxyCondition(translated)];
  }
  const { targetRef, targetRefs } = row.spec;
  const targets = targetRef === undefined ? targetRefs : [targetRef, ...targetRefs];
  const found = waypointCondition(
    targets.map((target) => targetOf(read, at, key.namespace, target)),
  );
  return found === undefined ? [] : [found];
}

function targetOf(
  read: Read,
  at: PolicyInputs,
  namespace: string,
  { kind, name }: PolicyTargetReference,
): PolicyTarget {
  return { name: `${kind} "${name}"`, fate: fateOf(read, at, namespace, { kind, name }) };
}

function fateOf(
  read: Read,
  { inputs, gatewayApi: { api } }: PolicyInputs,
  namespace: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): TargetFate {
  const { mesh: { rootNamespace, tables, domain }, services, waypoints } = inputs;
  const key = { namespace, name };
  switch (kind) {
    case "Gateway":
      if (read.get(api.gateways, objectKey(key)) === undefined) return "missing";
      // Other gateways have a status of their own.
      return read.get(waypoints.waypoint, key) === undefined ? "none" : "bound";
    case "GatewayClass":
      if (namespace !== rootNamespace(read)) return "invalid";
      return read.get(api.gatewayClasses, objectKey({ namespace: "", name })) ? "bound" : "missing";
    case "Service": {
      const host = `${name}.${namespace}.svc.${domain}`;
      if (read.get(services.service, { namespace, host }) === undefined) return "missing";
      break;
    }
    case "ServiceEntry":
      if (read.get(tables.serviceEntries, objectKey(key)) === undefined) return "missing";
      break;
    default:
      return "invalid";
  }
  return bindingOf(read, inputs, kind, key)?.waypoint === undefined ? "unbound" : "bound";
}
