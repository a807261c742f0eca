/**
 * WorkloadGroups, as plain values. Pure.
 *
 * @module
 */
import { dataError } from "../../kit/cli/mod.ts";
import type { ResourceType } from "../../kit/orch/mod.ts";
import { parseYaml, readYaml } from "../../kit/text/mod.ts";
import { checkObject, type ObjectProblem } from "../../mesh/schema/mod.ts";

/** WorkloadGroups in the orchestrator. */
export const GROUP: ResourceType = {
  ...{ group: "networking.mesh.io", version: "v1" },
  ...{ kind: "WorkloadGroup", plural: "workloadgroups", namespaced: true },
};

/** A map of a document. */
export type Plain = Readonly<Record<string, unknown>>;

/** A WorkloadGroup, as far as machines are concerned. */
export interface MachineGroup {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  readonly network: string;
  /** The check by which the agent finds out if the workload is healthy; absent: none. */
  readonly probe?: Plain;
  /** The proxy configuration of the annotation; empty without one. */
  readonly proxyConfig: Plain;
}

/** Checks a group as the daemon would. */
export function checkedGroup(
  value: Plain,
  from: string,
  namespace?: string,
): { readonly warnings: readonly string[] } {
  const { problems, warnings } = checkObject(value, namespace === undefined ? {} : { namespace });
  const [first] = problems;
  if (first !== undefined) throw dataError(`${from}: ${said(first)}`, first.remedy);
  return { warnings: warnings.map((one) => `${from}: ${said(one)}`) };
}

function said({ path, message }: ObjectProblem): string {
  return (path === "" ? "" : `${path}: `) + message;
}

/** The only WorkloadGroup of a text. Its API version may be missing. */
export function groupIn(text: string, file: string): Plain {
  const groups: Plain[] = [];
  for (const { document, problem } of readYaml(text)) {
    if (problem !== undefined) {
      throw dataError(`${file}:${problem.line}: ${problem.message}`, "Correct the YAML.");
    }
    const value = mapOf(document.value);
    if (value.kind === GROUP.kind) groups.push(value);
  }
  const [group] = groups;
  if (group !== undefined && groups.length === 1) {
    return { apiVersion: `${GROUP.group}/${GROUP.version}`, ...group };
  }
  throw dataError(
    `${file} has ${groups.length === 0 ? "no WorkloadGroup" : `${groups.length} WorkloadGroups`}`,
    "Name a file with one WorkloadGroup; `meshctl experimental workload group create` prints one.",
  );
}

/** Reads what machines need of a valid group. */
export function machineGroup(value: Plain, from: string, fallback: string): MachineGroup {
  const [metadata, spec] = [mapOf(value.metadata), mapOf(value.spec)];
  const [workload, template] = [mapOf(spec.metadata), mapOf(spec.template)];
  const annotation = mapOf(workload.annotations)[PROXY_CONFIG];
  const probe = spec.probe;
  return {
    name: textOf(metadata.name),
    namespace: textOf(metadata.namespace) || fallback,
    labels: mapOf(workload.labels) as Record<string, string>,
    serviceAccount: textOf(template.serviceAccount) || "default",
    network: textOf(template.network),
    ...probe === undefined ? {} : { probe: mapOf(probe) },
    proxyConfig: annotation === undefined
      ? {}
      : yamlMap(textOf(annotation), `${from}: annotation ${PROXY_CONFIG}`),
  };
}

const PROXY_CONFIG = "proxy.mesh.io/config";

/** The map that a text in YAML has; an empty text has none. */
export function yamlMap(text: string, from: string): Plain {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "it cannot be read";
    throw dataError(`${from}: ${reason}`, "Correct the YAML.", cause);
  }
  if (value === null || value === undefined) return {};
  if (isMap(value)) return value;
  throw dataError(`${from} is no map`, "Write fields with values.");
}

export function mapOf(value: unknown): Plain {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
