/**
 * Namespace, of the orchestrator's core API. Only its labels are used, by `discoverySelectors` of the
 * mesh configuration.
 *
 * @module
 */
import { type Struct, StructSchema } from "../../../kit/proto/mod.ts";
import type { TabledKind } from "../kind.ts";

export const NAMESPACE: TabledKind<"Namespace", "namespaces", Struct> = {
  kind: "Namespace",
  group: "",
  versions: ["v1"],
  plural: "namespaces",
  scope: "cluster",
  table: "namespaces",
  schema: StructSchema,
  metadataOnly: true,
  effective: { paths: [] },
  validate: () => {},
};
