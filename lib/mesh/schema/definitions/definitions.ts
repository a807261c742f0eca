/**
 * Definitions of the custom resources of Mesh's kinds, as the API server takes them.
 *
 * @module
 */
import type { Kind } from "../kind.ts";
import { KINDS } from "../kinds.ts";
import { type Describe, type StructuralSchema, structuralSchema } from "./structural.ts";

/** A column of `kubectl get`. */
interface Column {
  readonly name: string;
  readonly type: "string" | "date";
  readonly jsonPath: string;
  readonly description: string;
}

/** A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`. */
export interface ResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: true;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: StructuralSchema };
      readonly subresources: { readonly status: Readonly<Record<string, never>> };
      readonly additionalPrinterColumns: readonly Column[];
    }[];
  };
}

/** Short names for the command line. */
export const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  AuthorizationPolicy: ["ap"],
  DestinationRule: ["dr"],
  Gateway: ["gw"],
  PeerAuthentication: ["pa"],
  RequestAuthentication: ["ra"],
  ServiceEntry: ["se"],
  Telemetry: ["telemetry"],
  VirtualService: ["vs"],
  WorkloadEntry: ["we"],
  WorkloadGroup: ["wg"],
};

const AGE: Column = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created",
};

function textColumn(name: string, jsonPath: string, description: string): Column {
  return { name, type: "string", jsonPath, description };
}

/** Columns beside the name and the age. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  AuthorizationPolicy: [textColumn("Action", ".spec.action", "The operation to take")],
  DestinationRule: [textColumn("Host", ".spec.host", "The service that it applies to")],
  PeerAuthentication: [textColumn("Mode", ".spec.mtls.mode", "Mode of mutual TLS")],
  ServiceEntry: [
    textColumn("Hosts", ".spec.hosts", "The hosts that it describes"),
    textColumn("Location", ".spec.location", "Inside or outside of the mesh"),
    textColumn("Resolution", ".spec.resolution", "The way to find its addresses"),
  ],
  VirtualService: [
    textColumn("Gateways", ".spec.gateways", "The gateways that it applies to"),
    textColumn("Hosts", ".spec.hosts", "The hosts that it applies to"),
  ],
  WorkloadEntry: [textColumn("Address", ".spec.address", "The address of the workload")],
};

/** Kinds without a meaning for an empty specification. */
const NEEDS_SPEC: ReadonlySet<string> = new Set([
  "DestinationRule",
  "Gateway",
  "ServiceEntry",
  "Sidecar",
  "VirtualService",
  "WasmPlugin",
  "WorkloadEntry",
  "WorkloadGroup",
]);

/**
 * The definitions of all kinds of Mesh's own groups, sorted by name.
 *
 * @param describe the descriptions that `kubectl explain` shows; default none
 */
export function resourceDefinitions(describe?: Describe): ResourceDefinition[] {
  return KINDS.filter(isCustom).map((kind) => definitionOf(kind, describe))
    .sort((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
}

/** True for a kind of Mesh's own groups; the orchestrator's own kinds need no definition. */
export function isCustom({ group }: Pick<Kind, "group">): boolean {
  return group.endsWith(".mesh.io");
}

function definitionOf(kind: Kind, describe?: Describe): ResourceDefinition {
  const shortNames = SHORT_NAMES[kind.kind];
  const openAPIV3Schema: StructuralSchema = {
    type: "object",
    ...(NEEDS_SPEC.has(kind.kind) ? { required: ["spec"] } : {}),
    properties: {
      spec: structuralSchema(kind.schema, describe),
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { "app.kubernetes.io/part-of": "mesh" },
    },
    spec: {
      group: kind.group,
      scope: kind.scope === "cluster" ? "Cluster" : "Namespaced",
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        categories: ["mesh", kind.group.split(".")[0]!.concat("-mesh")],
      },
      versions: kind.versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
        additionalPrinterColumns: [...COLUMNS[kind.kind] ?? [], AGE],
      })),
    },
  };
}
