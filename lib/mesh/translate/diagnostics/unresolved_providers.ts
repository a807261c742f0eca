/**
 * Extension providers that objects name and that do not exist or do not fit. Reported from the
 * tables on request; no part of what is served.
 *
 * @module
 */
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { ProviderRef, Telemetry } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { type Mesh, MESH_ROW } from "../../derive/mod.ts";
import {
  effectOf,
  extAuthzConfig,
  isDryRun,
  type PolicyObject,
  TELEMETRY_KINDS,
  type TelemetryKind,
  unfit,
} from "../../envoy/mod.ts";
import {
  type ConfigObject,
  hasLabels,
  isHttp,
  namedHost,
  namespaceOf,
  objectRef,
} from "../../model/mod.ts";

/** A provider that cannot be used. */
export interface UnresolvedProvider {
  /** `Kind/namespace/name`; empty: the mesh configuration. */
  readonly object: string;
  /** The field path: `spec.tracing[0].providers[0].name`. */
  readonly field: string;
  /** The effect, one sentence without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

const NAME_ONE = "Name an extension provider of the mesh configuration.";

/** Returns all of them, those of the mesh configuration first. */
export function unresolvedProviders(mesh: Mesh): UnresolvedProvider[] {
  const config = mesh.tables.mesh.peek(MESH_ROW);
  const providers = new Map(config?.extensionProviders.map((one) => [one.name, one]) ?? []);
  const rows = <T>(table: {
    keys(): Iterable<string>;
    peek(key: string): ConfigObject<T> | undefined;
  }): ConfigObject<T>[] => [...table.keys()].sort().flatMap((key) => table.peek(key) ?? []);
  return [
    ...unresolvedDefaults(config?.defaultProviders, providers),
    ...rows(mesh.tables.telemetries).flatMap((row) => unresolvedOfTelemetry(row, providers)),
    ...rows(mesh.tables.authorizationPolicies).flatMap((row) =>
      unresolvedOfPolicy(mesh, row, providers)
    ),
    ...rivalProviders(rows(mesh.tables.authorizationPolicies), config?.rootNamespace ?? ""),
  ];
}

type Providers = ReadonlyMap<string, ExtensionProvider>;

function unresolvedDefaults(
  defaults: Readonly<Partial<Record<TelemetryKind, readonly string[]>>> | undefined,
  providers: Providers,
): UnresolvedProvider[] {
  return TELEMETRY_KINDS.flatMap((purpose) =>
    (defaults?.[purpose] ?? []).flatMap((name, index) => {
      const why = unfit(name, providers.get(name), purpose);
      const field = `defaultProviders.${purpose}[${index}]`;
      return why === undefined ? [] : [{ object: "", field, message: why, remedy: NAME_ONE }];
    })
  );
}

function unresolvedOfTelemetry(
  row: ConfigObject<Telemetry>,
  providers: Providers,
): UnresolvedProvider[] {
  return TELEMETRY_KINDS.flatMap((purpose) =>
    row.spec[purpose].flatMap((entry: { readonly providers: readonly ProviderRef[] }, at: number) =>
      entry.providers.flatMap(({ name }, index) => {
        const message = unfit(name, providers.get(name), purpose);
        const field = `spec.${purpose}[${at}].providers[${index}].name`;
        if (message === undefined) return [];
        return [{ object: objectRef(row), field, message, remedy: NAME_ONE }];
      })
    )
  );
}

/** The provider of a CUSTOM policy. */
function unresolvedOfPolicy(
  mesh: Mesh,
  row: PolicyObject,
  providers: Providers,
): UnresolvedProvider[] {
  if (effectOf(row) !== "custom") return [];
  const object = objectRef(row);
  if (isDryRun(row)) {
    return [{
      object,
      field: "metadata.annotations",
      message: "a policy of action CUSTOM cannot be tried: while the annotation for trials is " +
        "there, no provider is asked",
      remedy: "Remove the annotation to use the provider.",
    }];
  }
  const name = row.spec.actionDetail.value?.name ?? "";
  const field = "spec.provider.name";
  const provider = providers.get(name);
  const why = provider === undefined
    ? `there is no extension provider ${JSON.stringify(name)}`
    : extAuthzConfig(provider, (service) => knownService(mesh, service));
  if (typeof why === "string") {
    const what = provider === undefined ? why : `provider ${JSON.stringify(name)}: ${why}`;
    const remedy = provider === undefined ? NAME_ONE : "Repair the provider, or name another.";
    return [{
      object,
      field,
      message: `requests that its rules select are denied: ${what}`,
      remedy,
    }];
  }
  if (why.tcp !== undefined) return [];
  const plain = plainPorts(mesh, row);
  return plain.length === 0 ? [] : [{
    object,
    field,
    message: `provider ${JSON.stringify(name)} speaks HTTP and is not asked about connections ` +
      `that do not: ${plain.slice(0, MOST_PORTS).join(", ")}`,
    remedy: "Use a provider that speaks gRPC, or forbid those connections by another policy.",
  }];
}

/** Policies of action CUSTOM that name different providers and may select one workload. */
function rivalProviders(
  rows: readonly PolicyObject[],
  rootNamespace: string,
): UnresolvedProvider[] {
  const asking = rows.filter((row) => effectOf(row) === "custom" && !isDryRun(row));
  return asking.flatMap((row) => {
    const name = providerOf(row);
    const rival = asking.find((other) =>
      providerOf(other) !== name && mayShareWorkload(row, other, rootNamespace)
    );
    return rival === undefined ? [] : [{
      object: objectRef(row),
      field: "spec.provider.name",
      message: `workloads that ${objectRef(rival)} selects too have two providers, ` +
        `${JSON.stringify(name)} and ${JSON.stringify(providerOf(rival))}: requests that their ` +
        "rules select are denied there",
      remedy: "Name one provider in all policies of a workload.",
    }];
  });
}

function providerOf({ spec }: PolicyObject): string {
  return spec.actionDetail.value?.name ?? "";
}

/** Reports if one namespace has workloads of both, and no label contradicts. */
function mayShareWorkload(a: PolicyObject, b: PolicyObject, rootNamespace: string): boolean {
  const namespaces = [a.meta.namespace, b.meta.namespace];
  const labels = b.spec.selector?.matchLabels ?? {};
  return (namespaces[0] === namespaces[1] || namespaces.includes(rootNamespace)) &&
    Object.entries(a.spec.selector?.matchLabels ?? {})
      .every(([key, value]) => !Object.hasOwn(labels, key) || labels[key] === value);
}

/** Maximum number of named ports. */
const MOST_PORTS = 5;

function knownService(
  { indexes }: Mesh,
  service: string,
): { host: string; cluster: string } | undefined {
  const host = namedHost(service, (host) => indexes.entriesByHost.peek(host));
  return host === undefined ? undefined : { host, cluster: "" };
}

/** Ports of services, as `host:port`, that are not declared for HTTP and whose workloads a policy selects. */
function plainPorts({ graph, tables, services }: Mesh, { meta, spec }: PolicyObject): string[] {
  const root = tables.mesh.peek(MESH_ROW)?.rootNamespace;
  const selector = spec.selector?.matchLabels ?? {};
  const found = new Set<string>();
  for (const key of tables.serviceEntries.keys()) {
    for (const host of tables.serviceEntries.peek(key)?.spec.hosts ?? []) {
      const serviceKey = { namespace: namespaceOf(key), host: host.toLowerCase() };
      const service = graph.peek(services.service, serviceKey);
      const plain = service?.ports.filter(({ protocol }) => !isHttp(protocol)) ?? [];
      if (plain.length === 0) continue;
      const selected = graph.peek(services.endpoints, serviceKey).some((endpoint) =>
        (meta.namespace === root || endpoint.namespace === meta.namespace) &&
        hasLabels(endpoint.labels, selector)
      );
      if (selected) { for (const { number } of plain) found.add(`${host}:${number}`); }
    }
  }
  return [...found].sort();
}
