/**
 * The data that templates are rendered with.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { clone, toJson } from "../../kit/proto/mod.ts";
import { defaultProxyConfig, parseProxyConfig } from "../../mesh/schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { allContainers, annotationsOf, type Json, type Pod, PROXY_CONTAINER } from "./objects.ts";
import type { NamespaceIds } from "./openshift.ts";
import { isMap, type Structure, structureOf } from "../../kit/template/mod.ts";
import type { WorkloadMeta } from "./workload_meta.ts";

/** The annotation with proxy configuration of a pod. */
const CONFIG_ANNOTATION = "proxy.mesh.io/config";

/** The annotation that chooses the variant of the proxy's image. */
const IMAGE_TYPE = "sidecar.mesh.io/proxyImageType";

/** User and group that the proxy runs as, unless the pod or its namespace say otherwise. */
const DEFAULT_ID = 1337;

/** Mesh-wide inputs of the data. */
export interface DataInput {
  readonly mesh: MeshConfig;
  /** The settings of ProxyConfig objects for the pod; fields that none of them has are unset. */
  readonly settings: ProxyConfig | undefined;
  readonly values: Json;
  readonly revision: string;
  readonly compliancePolicy: string;
  /** User and group that the pod's namespace gives. */
  readonly ids: NamespaceIds;
}

export interface PodData {
  readonly data: Structure;
  /** The mesh's `defaultConfig` with ProxyConfig objects and the pod's annotation merged over it. */
  readonly proxy: ProxyConfig;
}

/**
 * Makes the data of a pod.
 *
 * @throws MeshError `inject-annotation` for an annotation `proxy.mesh.io/config` that is not valid
 */
export function podData(pod: Pod, workload: WorkloadMeta, input: DataInput): PodData {
  const proxy = proxyConfigOf(pod, input);
  const { uid, gid } = idsOf(pod, input.ids);
  const { values, revision } = input;
  const data = structureOf({
    typeMeta: { apiVersion: workload.apiVersion, kind: workload.kind },
    deploymentMeta: { name: workload.name, namespace: workload.namespace },
    objectMeta: { labels: {}, annotations: {}, ...pod.metadata },
    spec: pod.spec ?? {},
    proxyConfig: structureOf(
      toJson(ProxyConfigSchema, proxy, { alwaysEmitImplicit: true }) as Json,
      changedProxyFields(proxy),
    ),
    meshConfig: toJson(MeshConfigSchema, input.mesh, { alwaysEmitImplicit: true }),
    revision,
    compliancePolicy: input.compliancePolicy,
    proxyImage: proxyImage(pod, proxy, values),
    proxyUID: uid,
    proxyGID: gid,
    inboundTrafficPolicyMode: inboundMode(input.mesh),
    values,
  });
  return { data, proxy };
}

/** The image of the proxy, from hub, name, tag and variant. */
export function proxyImage(pod: Pod, proxy: ProxyConfig, values: Json): string {
  const global = mapOf(values.global);
  const name = String(mapOf(global.proxy).image ?? "");
  if (name.includes("/")) return name;
  const tag = String(global.tag ?? "");
  const type = annotationsOf(pod)[IMAGE_TYPE] ?? (proxy.image?.imageType || global.variant);
  const full = taggedWith(tag, typeof type === "string" ? type : "");
  return `${global.hub ?? ""}/${name}${full === "" ? "" : `:${full}`}`;
}

/** The tag with the suffix of a type, which replaces that of another type; `default` has no suffix. */
function taggedWith(tag: string, type: string): string {
  if (type === "") return tag;
  const base = tag.replace(/-(?:distroless|debug)$/, "");
  return type === "default" ? base : `${base}-${type}`;
}

/** The differences between a proxy configuration and the built-in defaults, as JSON. */
export function changedProxyFields(proxy: ProxyConfig): Json {
  const base = toJson(ProxyConfigSchema, defaultProxyConfig()) as Json;
  const own = toJson(ProxyConfigSchema, proxy) as Json;
  return Object.fromEntries(
    Object.entries(own).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(base[name])
    ),
  );
}

/** The least specific first: the mesh's defaults, ProxyConfig objects, the annotation of the pod. */
function proxyConfigOf(pod: Pod, { mesh, settings }: DataInput): ProxyConfig {
  const base = withSettings(mesh.defaultConfig ?? defaultProxyConfig(), settings);
  const text = annotationsOf(pod)[CONFIG_ANNOTATION];
  if (text === undefined || text.trim() === "") return base;
  const { value, problems } = parseProxyConfig(text, CONFIG_ANNOTATION, base);
  if (value !== undefined) return value;
  const [first] = problems;
  const where = `metadata.annotations["${CONFIG_ANNOTATION}"]`;
  const path = first?.path ? `${first.path}: ` : "";
  throw new MeshError("inject-annotation", `${where}: ${path}${first?.message}`, {
    remedy: first?.remedy,
  });
}

/** The fields that ProxyConfig objects have, over a base; variables are merged by name. */
function withSettings(base: ProxyConfig, settings: ProxyConfig | undefined): ProxyConfig {
  if (settings === undefined) return base;
  const config = clone(ProxyConfigSchema, base);
  config.concurrency = settings.concurrency ?? config.concurrency;
  config.image = settings.image ?? config.image;
  Object.assign(config.proxyMetadata, settings.proxyMetadata);
  return config;
}

/** User and group of the proxy: of the user's container, of the namespace, or the default. */
function idsOf(pod: Pod, namespace: NamespaceIds) {
  const own = allContainers(pod).find(({ name }) => name === PROXY_CONTAINER)?.securityContext;
  const { runAsUser, runAsGroup } = mapOf(own);
  return {
    uid: typeof runAsUser === "number" ? runAsUser : namespace.uid ?? DEFAULT_ID,
    gid: typeof runAsGroup === "number" ? runAsGroup : namespace.gid ?? DEFAULT_ID,
  };
}

function inboundMode({ inboundTrafficPolicy }: MeshConfig): string {
  // The enum has LOCALHOST as its second value; 0 is PASSTHROUGH.
  return inboundTrafficPolicy?.mode === 1 ? "localhost" : "passthrough";
}

function mapOf(value: unknown): Json {
  return isMap(value) ? value as Json : {};
}
