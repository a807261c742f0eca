/**
 * Backends of routes.
 *
 * @module
 */
import type { RefFault } from "./certificates.ts";
import { isPermitted } from "./grants.ts";
import type { BackendLookups, BackendTarget } from "./lookups.ts";
import { objectKey } from "../../model/mod.ts";
import {
  type BackendReference,
  referenced,
  type Route,
  type RouteFilter,
  X_GATEWAY_GROUP,
} from "./objects.ts";

/** A backend that was found, with the port that requests go to. */
export interface ResolvedBackend extends BackendTarget {
  /** As the reference gives it, also where the backend has no such port; otherwise its only one. */
  readonly port: number;
}

/** A backend, or why there is none. A host is known also where requests to it would fail. */
export type Backend =
  | { readonly target: ResolvedBackend }
  | { readonly fault: RefFault; readonly host?: string };

/** Groups of the kinds of backends. */
const GROUPS: Readonly<Record<string, string>> = {
  Service: "",
  ServiceImport: "multicluster.x-k8s.io",
  Hostname: "networking.mesh.io",
  XBackend: X_GATEWAY_GROUP,
};

/**
 * Resolves a reference of a route to a backend.
 *
 * @param granted true: a backend of another namespace needs a ReferenceGrant there
 */
export function resolveBackend(
  ref: BackendReference,
  route: Pick<Route, "meta">,
  look: BackendLookups,
  granted = true,
): Backend {
  const kind = ref.kind || "Service";
  const group = ref.group ?? "";
  if (!Object.hasOwn(GROUPS, kind) || GROUPS[kind] !== group) {
    const message =
      `${group === "" ? "" : `${group}/`}${kind} "${ref.name}" is of a kind that is ` +
      "no backend; use Service, ServiceImport, Hostname or XBackend";
    return { fault: { reason: "InvalidKind", message } };
  }
  const key = referenced(ref, route.meta.namespace);
  if (kind === "Hostname") return found(ref, look.host(ref.name, route.meta.namespace), ref.name);
  const from = { kind: route.meta.kind, namespace: route.meta.namespace };
  if (granted && !isPermitted({ from, to: { ...key, group, kind } }, look)) {
    const message =
      `${kind} "${key.namespace}/${key.name}" is in another namespace; allow it by a ` +
      `ReferenceGrant in "${key.namespace}" from ${from.kind} in "${from.namespace}"`;
    return { fault: { reason: "RefNotPermitted", message } };
  }
  if (kind === "XBackend") return foundBackend(look.backend(key), `XBackend "${objectKey(key)}"`);
  const target = look.service(kind as "Service" | "ServiceImport", key);
  return found(ref, target, `${kind} "${key.namespace}/${key.name}"`);
}

/** An XBackend has one port: that of a reference does not count. */
function foundBackend(target: BackendTarget | string | undefined, name: string): Backend {
  if (typeof target !== "string") return found({ name }, target, name);
  return { fault: { reason: "UnsupportedValue", message: `${name}: ${target}` } };
}

function found(ref: BackendReference, target: BackendTarget | undefined, name: string): Backend {
  if (target === undefined) {
    const message = `backend ${name} does not exist`;
    return { fault: { reason: "BackendNotFound", message } };
  }
  const port = ref.port ?? (target.ports.length === 1 ? target.ports[0] : undefined);
  if (port === undefined) {
    const message = `the reference to ${name} needs a port`;
    return { fault: { reason: "UnsupportedValue", message }, host: target.host };
  }
  return { target: { ...target, port } };
}

/** All backends that a route names: of rules, then of their filters; each with its path below `spec`. */
export function backendsOf(
  { spec }: Pick<Route, "spec">,
): { readonly ref: BackendReference; readonly path: readonly (string | number)[] }[] {
  return (spec.rules ?? []).flatMap((rule, index) => {
    const at = ["rules", index];
    const backends = (rule.backendRefs ?? []).map((ref, i) => ({
      ref,
      path: [...at, "backendRefs", i],
    }));
    const nested = (rule.backendRefs ?? []).flatMap(({ filters }, i) =>
      ofFilters(filters, [...at, "backendRefs", i])
    );
    return [...backends, ...nested, ...ofFilters(rule.filters, at)];
  });
}

function ofFilters(
  filters: readonly RouteFilter[] | undefined,
  at: readonly (string | number)[],
): { ref: BackendReference; path: (string | number)[] }[] {
  return (filters ?? []).flatMap((filter, index) => {
    const path = [...at, "filters", index];
    return ["requestMirror", "externalAuth"].flatMap((field) => {
      const ref = filter[field as "requestMirror" | "externalAuth"]?.backendRef;
      return ref === undefined ? [] : [{ ref, path: [...path, field, "backendRef"] }];
    });
  });
}
