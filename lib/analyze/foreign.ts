/**
 * Facts that manifests of the orchestrator tell: workloads with their labels, and hosts of services.
 * They make the analysis of a set of files more certain.
 *
 * @module
 */
import { DEFAULT_NAMESPACE } from "../schema/mod.ts";
import type { KnownWorkload, Labels } from "./indexes.ts";

/** The facts. */
export interface ForeignFacts {
  readonly workloads: readonly KnownWorkload[];
  /** `name.namespace.svc.domain`. */
  readonly hosts: readonly string[];
}

/** Kinds with a template of pods. */
const TEMPLATED = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"];

/** Collects the facts of manifests, one after the other. */
export function foreignCollector(domain: string, namespace: string = DEFAULT_NAMESPACE): {
  readonly add: (value: Readonly<Record<string, unknown>>) => void;
  readonly facts: ForeignFacts;
} {
  const workloads: KnownWorkload[] = [];
  const hosts: string[] = [];
  return {
    facts: { workloads, hosts },
    add(value) {
      const meta = recordAt(value, "metadata");
      const own = typeof meta.namespace === "string" ? meta.namespace : namespace;
      if (value.kind === "Pod") {
        workloads.push({ namespace: own, labels: labelsOf(recordAt(meta, "labels")) });
      } else if (TEMPLATED.includes(`${value.kind}`)) {
        const labels = recordAt(value, "spec", "template", "metadata", "labels");
        workloads.push({ namespace: own, labels: labelsOf(labels) });
      } else if (value.kind === "Service" && typeof meta.name === "string") {
        hosts.push(`${meta.name}.${own}.svc.${domain}`);
      }
    },
  };
}

function recordAt(
  value: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Readonly<Record<string, unknown>> {
  let at: unknown = value;
  for (const name of names) at = isRecord(at) ? at[name] : undefined;
  return isRecord(at) ? at : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function labelsOf(value: Readonly<Record<string, unknown>>): Labels {
  return Object.fromEntries(
    Object.entries(value).filter(([, text]) => typeof text === "string"),
  ) as Labels;
}
