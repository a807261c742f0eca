/**
 * Reports about routes of the Gateway API in words. Pure.
 *
 * @module
 */
/** A reference to an object, with the defaults of its field. */
interface Reference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A route of any kind. */
export interface ApiRouteSpec {
  readonly parentRefs?: readonly Reference[];
  readonly hostnames?: readonly string[];
  readonly rules?: readonly {
    readonly backendRefs?: readonly (Reference & { readonly weight?: number })[];
  }[];
}

/** A route with its kind and the part of its status that reports read. */
export interface ApiRoute {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: ApiRouteSpec;
  readonly status?: {
    readonly parents?: readonly {
      readonly parentRef: Reference;
      readonly conditions?: readonly Condition[];
    }[];
  };
}

interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The lines about the routes that have a service as parent or as backend. */
export function apiRouteLines(routes: readonly ApiRoute[], service: ObjectName): string[] {
  return routes.flatMap((route) => {
    const namespace = route.metadata.namespace ?? "";
    const isService = (ref: Reference, kind: string): boolean =>
      (ref.kind ?? kind) === "Service" && ref.name === service.name &&
      (ref.namespace ?? namespace) === service.namespace;
    const parents = route.spec?.parentRefs ?? [];
    const rules = route.spec?.rules ?? [];
    const leading = rules.filter(({ backendRefs = [] }) =>
      backendRefs.some((ref) => isService(ref, "Service"))
    );
    const isParent = parents.some((ref) => isService(ref, "Gateway"));
    if (leading.length === 0 && !isParent) return [];
    const lines = [`${route.kind}: ${route.metadata.name}.${namespace}`];
    for (const ref of parents) lines.push(...parentLines(route, ref));
    const { hostnames = [] } = route.spec ?? {};
    if (hostnames.length > 0) lines.push(`   Hostnames: ${hostnames.join(", ")}`);
    lines.push(`   ${rules.length} rule(s), ${leading.length} to ${service.name}`);
    for (const [at, { backendRefs = [] }] of rules.entries()) {
      const own = backendRefs.find((ref) => isService(ref, "Service"));
      if (own === undefined || backendRefs.length < 2) continue;
      const all = backendRefs.reduce((sum, { weight = 1 }) => sum + weight, 0);
      lines.push(`   Weight in rule ${at + 1}: ${own.weight ?? 1} of ${all}`);
    }
    return lines;
  });
}

function parentLines({ metadata, status }: ApiRoute, ref: Reference): string[] {
  const own = metadata.namespace ?? "";
  const section = ref.sectionName === undefined ? "" : `, listener ${ref.sectionName}`;
  const port = ref.port === undefined ? "" : `, port ${ref.port}`;
  const name = `${ref.kind ?? "Gateway"} ${ref.name}.${ref.namespace ?? own}${section}${port}`;
  const reported = (status?.parents ?? []).filter(({ parentRef }) => isSame(parentRef, ref, own));
  const lines = [`   Parent: ${name}`];
  if (reported.length === 0) lines.push(`WARNING: no controller has reported on ${name}`);
  for (const { conditions = [] } of reported) {
    for (const { type, status, reason = "", message = "" } of conditions) {
      if (status !== "False") continue;
      lines.push(`WARNING: ${name}: ${type} is False (${reason}): ${message}`);
    }
  }
  return lines;
}

function isSame(a: Reference, b: Reference, namespace: string): boolean {
  const text = ({ kind = "Gateway", namespace: from = namespace, ...rest }: Reference): string =>
    JSON.stringify([kind, from, rest.name, rest.sectionName ?? "", rest.port ?? 0]);
  return text(a) === text(b);
}
