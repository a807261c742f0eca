/**
 * Settings that a variable switches off: what acts in principle, and is not named as idle when it is
 * read.
 *
 * @module
 */
import { MESH_ROW } from "../../lib/derive/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import type { Features, Translation } from "../../lib/translate/mod.ts";

/** A warning for each of them, at no certain place of its file. */
export function switchedOffWarnings(
  { mesh }: Pick<Translation, "mesh">,
  { multiRoot, tlsOnIngress }: Pick<Features, "multiRoot" | "tlsOnIngress">,
): SchemaProblem[] {
  return [
    ...multiRoot ? [] : untoldAuthorities(mesh),
    ...tlsOnIngress ? [] : unendedTls(mesh),
  ];
}

type Mesh = Translation["mesh"];

const SOMEWHERE = { line: 1, column: 1, code: "switched-off" } as const;

function untoldAuthorities({ tables }: Mesh): SchemaProblem[] {
  const authorities = tables.mesh.peek(MESH_ROW)?.caCertificates ?? [];
  if (authorities.length === 0) return [];
  return [{
    ...SOMEWHERE,
    file: "mesh configuration",
    path: "caCertificates",
    message: "these authorities are told to no agent",
    remedy: "Set MESH_MULTIROOT_MESH=true for the daemon, or remove them.",
  }];
}

function unendedTls({ tables }: Mesh): SchemaProblem[] {
  return tables.sidecars.keys().flatMap((key) =>
    (tables.sidecars.peek(key)?.spec.ingress ?? []).flatMap(({ tls }, at) =>
      tls === undefined ? [] : [{
        ...SOMEWHERE,
        file: `Sidecar ${key}`,
        path: `spec.ingress[${at}].tls`,
        message: "clients' TLS goes on to the workload as it is",
        remedy: "Set ENABLE_TLS_ON_SIDECAR_INGRESS=true for the daemon, or remove it.",
      }]
    )
  );
}
