/**
 * Labels by which an installation finds its objects.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import type { Instance } from "./instances.ts";

/** Labels of objects of an installation. */
export const LABELS: Readonly<
  Record<"owner" | "component" | "managed" | "version" | "revision", string>
> = {
  owner: "install.operator.mesh.io/owning-resource",
  component: "operator.mesh.io/component",
  managed: "operator.mesh.io/managed",
  version: "operator.mesh.io/version",
  revision: REVISION_LABEL,
};

/** The content of the labels. */
export interface Ownership {
  /** The name of the MeshOperator. */
  readonly owner: string;
  readonly version: string;
  readonly revision: string;
}

/**
 * The object with the labels. The label of the revision that a template gives stays. Otherwise
 * components that all revisions share get none, because a second revision must not write their objects;
 * namespaces get none, because it would turn injection on in them.
 */
export function withLabels<T extends OrchObject>(
  object: T,
  { kind }: Pick<Instance, "kind">,
  { owner, version, revision }: Ownership,
): T {
  const before = object.metadata.labels ?? {};
  const own = {
    [LABELS.owner]: owner,
    [LABELS.component]: kind.component,
    [LABELS.managed]: "Reconcile",
    [LABELS.version]: version,
  };
  const isOfRevision = object.kind !== "Namespace" && kind.isShared !== true &&
    before[LABELS.revision] === undefined;
  const labels = { ...before, ...own, ...isOfRevision ? { [LABELS.revision]: revision } : {} };
  return { ...object, metadata: { ...object.metadata, labels } };
}
