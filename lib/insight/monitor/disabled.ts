/**
 * Warnings about settings that have no effect because an environment variable disables them.
 *
 * @module
 */
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { Features, Translation } from "../../mesh/translate/mod.ts";

/** A warning for each such setting. Its position in the file is not known. */
export function disabledWarnings(
  { mesh }: Pick<Translation, "mesh">,
  { multiRoot, tlsOnIngress, experimentalGatewayApi = false }: Pick<
    Features,
    "multiRoot" | "tlsOnIngress" | "experimentalGatewayApi"
  >,
): SchemaProblem[] {
  return [
    ...multiRoot ? [] : authoritiesNotServed(mesh),
    ...tlsOnIngress ? [] : ingressTlsIgnored(mesh),
    ...experimentalGatewayApi ? [] : experimentalIgnored(mesh),
  ];
}

type Mesh = Translation["mesh"];

const NO_POSITION = { line: 1, column: 1, code: "no-effect" } as const;

function authoritiesNotServed({ tables }: Mesh): SchemaProblem[] {
  const authorities = tables.mesh.peek(MESH_ROW)?.caCertificates ?? [];
  if (authorities.length === 0) return [];
  return [{
    ...NO_POSITION,
    file: "mesh configuration",
    path: "caCertificates",
    message: "MESH_MULTIROOT_MESH is false: no agent is sent these authorities",
    remedy: "Set MESH_MULTIROOT_MESH=true for the daemon, or remove them.",
  }];
}

function ingressTlsIgnored({ tables }: Mesh): SchemaProblem[] {
  return tables.sidecars.keys().flatMap((key) =>
    (tables.sidecars.peek(key)?.spec.ingress ?? []).flatMap(({ tls }, at) =>
      tls === undefined ? [] : [{
        ...NO_POSITION,
        file: `Sidecar ${key}`,
        path: `spec.ingress[${at}].tls`,
        message:
          "ENABLE_TLS_ON_SIDECAR_INGRESS is false: TLS of clients is passed on to the workload",
        remedy: "Set ENABLE_TLS_ON_SIDECAR_INGRESS=true for the daemon, or remove it.",
      }]
    )
  );
}

function experimentalIgnored({ graph, gatewayApi }: Mesh): SchemaProblem[] {
  return graph.peek(gatewayApi.experimentalFields, "all").map((field) => {
    const [object = "", path = ""] = field.split(" ");
    return {
      ...NO_POSITION,
      file: object.replace("/", " "),
      path,
      message:
        "PILOT_ENABLE_ALPHA_GATEWAY_API is false: fields of the experimental channel are ignored",
      remedy: "Set PILOT_ENABLE_ALPHA_GATEWAY_API=true for the daemon, or remove it.",
    };
  });
}
