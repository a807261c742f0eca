/**
 * The WorkloadEntry of a workload that registered itself, made from the template of its group.
 *
 * @module
 */
import { type ConfigObject, localityFromLabels, type ProxyNode } from "../../model/mod.ts";
import { clone, type Message, toJson } from "../../../kit/proto/mod.ts";
import { checkObject } from "../../schema/mod.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { WorkloadGroup } from "#mesh/networking/v1alpha3/workload_group_pb.ts";

/** `meta.origin.source` of the entries. */
export const REGISTRATION = "registration";

/** Annotation with the name of the group. */
export const GROUP_ANNOTATION = "mesh.io/autoRegistrationGroup";

/** Maximum length of an object's name. */
const MAX_NAME = 253;

/** A workload, as far as its entry depends on it. */
export interface RegisteredWorkload {
  readonly name: string;
  readonly node: ProxyNode;
  /** When it connected first; milliseconds since the epoch. */
  readonly since: number;
  readonly healthy: boolean;
  /** Generation of its entry before this one; 0 for none. */
  readonly generation: number;
}

/** An entry, or the reasons why the template makes no valid one. */
export type EntryResult =
  | { readonly entry: ConfigObject | undefined; readonly problems?: undefined }
  | { readonly entry?: undefined; readonly problems: readonly string[] };

/** Name of an entry: group, address and network. */
export function entryName(group: string, { ip, metadata }: ProxyNode): string {
  const network = metadata.NETWORK;
  const parts = [group, ip.replaceAll(":", "-")];
  if (typeof network === "string" && network !== "") parts.push(network);
  return parts.join("-").slice(-MAX_NAME).replace(/^[-.]+/, "");
}

/** The entry of a workload; properties of the proxy precede those of the group. */
export function entryOf(
  workload: RegisteredWorkload,
  group: ConfigObject<WorkloadGroup>,
): EntryResult {
  const { node, name, since, healthy } = workload;
  const { metadata } = group.spec;
  const spec = specOf(node, group.spec);
  if (spec === undefined) return { entry: undefined };
  const checked = checkObject({
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadEntry",
    metadata: {
      name,
      namespace: node.namespace,
      labels: spec.labels,
      annotations: { ...metadata?.annotations, [GROUP_ANNOTATION]: group.meta.name },
    },
    spec: toJson(WorkloadEntrySchema, spec),
  });
  if (checked.object === undefined) {
    return { problems: checked.problems.map((one) => `${one.path}: ${one.message}`) };
  }
  const { meta: { line: _, ...meta }, digest } = checked.object;
  const health = healthy ? "healthy" as const : "unhealthy" as const;
  return {
    entry: {
      meta: {
        ...meta,
        kind: "WorkloadEntry",
        creationTime: since,
        generation: workload.generation + 1,
        origin: { source: REGISTRATION },
        health,
      },
      spec: checked.object.spec as Message,
      digest: healthy ? digest : `${digest} ${health}`,
    },
  };
}

function specOf(node: ProxyNode, { template, metadata }: WorkloadGroup) {
  if (template === undefined) return undefined;
  const own = stringsOf(node.metadata.LABELS);
  const spec = clone(WorkloadEntrySchema, template);
  spec.address = node.ip;
  spec.labels = { ...template.labels, ...metadata?.labels, ...own };
  const { NETWORK: network } = node.metadata;
  if (typeof network === "string" && network !== "") spec.network = network;
  const { region, zone, subzone } = node.locality;
  const locality = region === "" ? localityFromLabels(own) : [region, zone, subzone].join("/");
  if (locality !== "") spec.locality = locality.replace(/\/+$/, "");
  return spec;
}

function stringsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  const strings = Object.entries(value).filter(([, item]) => typeof item === "string");
  return Object.fromEntries(strings);
}
