/**
 * The components of an installation: their charts, their values, their workloads.
 *
 * @module
 */

/** The name of a component, also in labels of its objects. */
export type ComponentName =
  | "Base"
  | "Pilot"
  | "Cni"
  | "Ztunnel"
  | "IngressGateways"
  | "EgressGateways";

/** One row of the table. */
export interface ComponentKind {
  readonly component: ComponentName;
  /** The field below `spec.components`. */
  readonly field: string;
  /** True: the field is a list, and each element is installed by itself. */
  readonly isList: boolean;
  readonly chart: string;
  /** The values below `spec.values` that are at the top of the chart's values. */
  readonly valuesRoot: readonly string[];
  /** True: its values are below {@link valuesRoot} alone, but for those of `global`. */
  readonly isApart?: boolean;
  /** True: all revisions share its objects, so that they are those of no revision. */
  readonly isShared?: boolean;
  /** The kind and the container of the workload on which settings of `k8s` act. */
  readonly workload?: { readonly kind: string; readonly name: string; readonly container: string };
}

/** In the order of installation. */
export const COMPONENTS: readonly ComponentKind[] = [
  {
    component: "Base",
    field: "base",
    isList: false,
    chart: "base",
    valuesRoot: ["base"],
    isShared: true,
  },
  {
    component: "Pilot",
    field: "pilot",
    isList: false,
    chart: "meshd",
    valuesRoot: ["pilot"],
    workload: { kind: "Deployment", name: "meshd", container: "discovery" },
  },
  {
    component: "Cni",
    field: "cni",
    isList: false,
    chart: "cni",
    valuesRoot: ["cni"],
    isApart: true,
    isShared: true,
    workload: { kind: "DaemonSet", name: "mesh-cni-node", container: "install-cni" },
  },
  {
    component: "Ztunnel",
    field: "ztunnel",
    isList: false,
    chart: "ztunnel",
    valuesRoot: ["ztunnel"],
    isApart: true,
    isShared: true,
    workload: { kind: "DaemonSet", name: "ztunnel", container: "mesh-proxy" },
  },
  {
    component: "IngressGateways",
    field: "ingressGateways",
    isList: true,
    chart: "gateway",
    valuesRoot: ["gateways", "mesh-ingressgateway"],
    workload: { kind: "Deployment", name: "mesh-ingressgateway", container: "mesh-proxy" },
  },
  {
    component: "EgressGateways",
    field: "egressGateways",
    isList: true,
    chart: "gateway",
    valuesRoot: ["gateways", "mesh-egressgateway"],
    workload: { kind: "Deployment", name: "mesh-egressgateway", container: "mesh-proxy" },
  },
];
