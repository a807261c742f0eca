/**
 * The objects behind the resources of a proxy.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import { objectKey, TYPE_URLS, xdsType } from "../../mesh/model/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import { type Provenance, provenanceOf } from "../../mesh/translate/mod.ts";
import type { OfflineMesh, OfflineProxy } from "./mesh.ts";

/** The resources of a proxy with their objects, by type and name. */
export function proxyProvenance(mesh: OfflineMesh, { session }: OfflineProxy): Provenance[] {
  return Object.values(TYPE_URLS).flatMap((type) =>
    [...session.view(type)?.names() ?? []].sort()
      .flatMap((name) => one(mesh, session, type, name) ?? [])
  );
}

/**
 * The objects behind one resource.
 *
 * @param type its URL, its word (`cluster`) or its short name (`cds`)
 * @throws {MeshError} when the type or the resource is unknown
 */
export function resourceProvenance(
  mesh: OfflineMesh,
  { session, workload }: OfflineProxy,
  type: string,
  name: string,
): Provenance {
  const url = Object.entries(TYPE_URLS)
    .find(([word, one]) => word === type || one === type || xdsType(one).short === type)?.[1];
  if (url === undefined) {
    throw new MeshError("unknown-type", `there is no resource type ${type}`, {
      remedy: `Use one of: ${Object.keys(TYPE_URLS).join(", ")}.`,
    });
  }
  const found = one(mesh, session, url, name);
  if (found !== undefined) return found;
  const near = nearest(name, [...session.view(url)?.names() ?? []]);
  const proxy = `${workload.name}.${workload.namespace}`;
  throw new MeshError("unknown-resource", `proxy ${proxy} has no ${type} ${name}`, {
    remedy: near === undefined ? "List them by meshctl explain proxy." : `Did you mean ${near}?`,
  });
}

function one(
  mesh: OfflineMesh,
  { view: viewOf }: OfflineProxy["session"],
  type: string,
  name: string,
): Provenance | undefined {
  const view = viewOf(type);
  const { mesh: derived, objectOf } = mesh.world();
  return view && provenanceOf({ mesh: derived, view, type, name, objectOf });
}

/** Provenance as text: a line for each resource, below it its objects with the fields. */
export function provenanceText(list: readonly Provenance[]): string {
  return list.flatMap(({ type, resource, objects, groups }) => [
    `${type.slice(type.lastIndexOf(".") + 1)} ${resource}`,
    ...objects.map(({ kind, namespace, name, origin: { file, line } }) => {
      const ref = rowRef({ table: kind, key: objectKey({ namespace, name }) });
      return `    ${ref}${file === undefined ? "" : ` (${file}:${line})`}`;
    }),
    ...groups.map(({ of, group }) => `      ${[...of, group].join(" ")}`),
  ]).map((line) => `${printable(line)}\n`).join("");
}
