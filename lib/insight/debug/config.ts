/**
 * Views of the configuration and of derived state.
 *
 * @module
 */
import { messageJson } from "../analyze/mod.ts";
import { type ConfigObject, type Service, serviceKeys } from "../../mesh/model/mod.ts";
import { type Kind, KINDS } from "../../mesh/schema/mod.ts";
import { toJson } from "../../kit/proto/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { debugRoute } from "./access.ts";
import { graphDump } from "./graph_dump.ts";
import type { DebugInputs } from "./inputs.ts";
import { nearNames } from "./near_names.ts";

/** `/debug/configz`, `/debug/analysis`, `/debug/registryz`, `/debug/graphz`, `/debug/faultz`. */
export function configRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/configz", ({ url }) => configz(inputs, url.searchParams)),
    debugRoute("GET", "/debug/analysis", ({ url }) => analysisView(inputs, url.searchParams)),
    debugRoute("GET", "/debug/registryz", ({ url }) => {
      const services = allServices(inputs);
      if (url.searchParams.has("brief")) return json(services.map((s) => s.host));
      return json(services.map((service) => ({
        ...service,
        endpoints: inputs.mesh.graph.peek(inputs.mesh.services.endpoints, service),
      })));
    }),
    debugRoute(
      "GET",
      "/debug/graphz",
      ({ url }) => json(graphDump(inputs.mesh.graph, url.searchParams.get("values") === "true")),
    ),
    debugRoute(
      "GET",
      "/debug/faultz",
      () => json(inputs.mesh.graph.faults().map((f) => ({ ...f, error: String(f.error) }))),
    ),
  ];
}

/**
 * Returns the objects in use as an array. `resource=KIND` selects a kind; `problems=true` returns
 * an object with `problems` (rejected documents) and `warnings` (ineffective fields).
 */
function configz(inputs: DebugInputs, query: URLSearchParams): Response {
  if (query.get("problems") === "true") {
    return json({
      problems: inputs.problems(),
      warnings: inputs.warnings(),
    });
  }
  const wanted = query.get("resource");
  if (wanted !== null && kindNamed(wanted) === undefined) {
    const known = KINDS.map((k) => k.kind);
    const near = nearNames(known, wanted).slice(0, 2).join(", ");
    const sentence = `no such kind: ${wanted}; near it: ${near}; kinds are ${known.join(", ")}`;
    return text(`${sentence}\n`, { status: 400 });
  }
  return json(
    inputs.objects().filter((o) => wanted === null || o.meta.kind === wanted).map(objectView),
  );
}

/** Returns analysis messages; `namespace=NAME` selects those of objects of a namespace. */
function analysisView({ analysis }: DebugInputs, query: URLSearchParams): Response {
  const namespace = query.get("namespace");
  return json(
    analysis().filter(({ object }) => namespace === null || object?.namespace === namespace)
      .map(messageJson),
  );
}

function kindNamed(name: string): Kind | undefined {
  return KINDS.find((k) => k.kind === name);
}

/** Returns the JSON form of an object. */
export function objectView(object: ConfigObject): Record<string, unknown> {
  const { meta, spec, digest } = object;
  // A Service is shown as the ServiceEntry that it amounts to.
  const kind = kindNamed(meta.kind === "Service" ? "ServiceEntry" : meta.kind);
  return {
    kind: meta.kind,
    metadata: {
      name: meta.name,
      namespace: meta.namespace,
      labels: meta.labels,
      annotations: meta.annotations,
      generation: meta.generation,
      resourceVersion: digest,
    },
    origin: meta.origin,
    spec: kind === undefined ? undefined : toJson(kind.schema, spec as never),
  };
}

/** All services of the mesh, sorted by key. */
export function allServices({ mesh }: Pick<DebugInputs, "mesh">): Service[] {
  const keys = new Set<string>();
  for (const entry of mesh.tables.serviceEntries.keys()) {
    const row = mesh.tables.serviceEntries.peek(entry);
    for (const host of row?.spec.hosts ?? []) {
      const { namespace } = row!.meta;
      keys.add(serviceKeys.encode({ namespace, host: host.toLowerCase() }));
    }
  }
  return [...keys].sort()
    .map((key) => mesh.graph.peek(mesh.services.service, serviceKeys.decode(key)))
    .filter((service) => service !== undefined);
}
