/**
 * Tracing with the mesh configuration's providers.
 *
 * @module
 */
import {
  type HttpConnectionManager_Tracing as Tracing,
  HttpConnectionManager_TracingSchema as TracingSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { CustomTagSchema } from "#envoy/type/tracing/v3/custom_tag_pb.ts";
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type {
  Tracing as MeshTracing,
  Tracing_CustomTag as DefaultTag,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { Tracing_CustomTag as CustomTag } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import type { TracingRule } from "./merge_levels.ts";
import { type ClusterOf, type Of, tracerOf } from "./tracers.ts";

/** Default maximum length of a path in a trace, bytes. */
const PATH_LENGTH = 256;

const ALL = { value: 100 };

/** Input of tracing in addition to the rule. */
export interface TracingInput {
  readonly rule: TracingRule;
  /** The provider that the rule names. */
  readonly provider: ExtensionProvider | undefined;
  /** `tracing` of the default proxy configuration. */
  readonly defaults: MeshTracing | undefined;
  /** True: the bootstrap configures a tracer. */
  readonly builtIn: boolean;
  readonly clusterOf: ClusterOf;
  /** Default sampling rate, percent. */
  readonly sampling: number;
  /**
   * True: the proxy certainly has the clusters of services; Envoy rejects some tracers without
   * their cluster.
   */
  readonly certain: boolean;
  /** True: the proxy does not support tags with a formatter, so they are left out. */
  readonly plainTags: boolean;
}

/** Returns the tracing settings of connection managers; `undefined`: no tracing. */
export function tracingOf(input: TracingInput): Tracing | undefined {
  const { rule, provider, defaults } = input;
  const tracer = provider && tracerOf(input, provider);
  if (provider === undefined ? !input.builtIn : tracer === undefined) return undefined;
  // A sampler of the provider decides about all requests.
  const all = provider !== undefined && samplerOf(provider) !== undefined;
  const wanted = all ? ALL.value : rule.sampling ?? (defaults?.sampling || input.sampling);
  const share = rule.disabled ? 0 : wanted;
  const most = rule.disabled ? { value: 0 } : ALL;
  const tracing = create(TracingSchema, {
    clientSampling: most,
    randomSampling: { value: share },
    overallSampling: most,
    maxPathTagLength: pathLength(provider) || defaults?.maxPathTagLength || PATH_LENGTH,
    customTags: tagsOf(input),
    provider: tracer,
  });
  if (rule.noPropagation) {
    tracing.$unknown = [{ no: NO_PROPAGATION, wireType: 0, data: Uint8Array.of(1) }];
  }
  return tracing;
}

/** Field `no_context_propagation` of `Tracing`, which is newer than the generated code. */
const NO_PROPAGATION = 13;

type Sampler = NonNullable<Of<"opentelemetry">["sampling"]["value"]>;

function samplerOf({ provider }: ExtensionProvider): Sampler | undefined {
  return provider.case === "opentelemetry" ? provider.value.sampling.value : undefined;
}

function pathLength(provider: ExtensionProvider | undefined): number {
  const value = provider?.provider.value;
  return value !== undefined && "maxTagLength" in value ? value.maxTagLength : 0;
}

/** Trace tags of the mesh, from environment variables that the agent sets. */
const MESH_TAGS: readonly (readonly [tag: string, variable: string])[] = [
  ["mesh.canonical_service", "MESH_SELF_SERVICE"],
  ["mesh.canonical_revision", "MESH_SELF_REVISION"],
  ["mesh.namespace", "MESH_SELF_NAMESPACE"],
  ["mesh.cluster_id", "MESH_SELF_CLUSTER"],
  ["mesh.mesh_id", "MESH_SELF_MESH"],
];

type Tag = MessageInitShape<typeof CustomTagSchema>;

function tagsOf({ rule, defaults, plainTags }: TracingInput): Tag[] {
  const mesh = rule.meshTags ?? defaults?.enableMeshTags ?? true;
  const given: Readonly<Record<string, CustomTag | DefaultTag>> = rule.tags ??
    defaults?.customTags ?? {};
  return [
    ...(mesh ? MESH_TAGS : []).map(([tag, name]): Tag => ({
      tag,
      type: { case: "environment", value: { name, defaultValue: "unknown" } },
    })),
    ...Object.keys(given).sort().filter((tag) =>
      !plainTags || given[tag]!.type.case !== "formatter"
    ).map((tag): Tag => ({ tag, type: typeOf(given[tag]!) })),
  ];
}

function typeOf({ type }: CustomTag | DefaultTag): Tag["type"] {
  switch (type.case) {
    case "literal":
      return { case: "literal", value: { value: type.value.value } };
    case "environment": {
      const { name, defaultValue } = type.value;
      return { case: "environment", value: { name, defaultValue } };
    }
    case "header": {
      const { name, defaultValue } = type.value;
      return { case: "requestHeader", value: { name, defaultValue } };
    }
    case "formatter":
      return { case: "value", value: type.value.value };
    default:
      return undefined as never;
  }
}
