/**
 * The effect of a specification with one field set: different resources, a warning, or an error.
 *
 * @module
 */
import {
  checkObject,
  defaultMeshConfig,
  type ObjectProblem,
} from "../../../lib/mesh/schema/mod.ts";
import {
  type MeshConfig,
  MeshConfig_DefaultProvidersSchema as DefaultProvidersSchema,
  MeshConfig_ExtensionProviderSchema as ExtensionProviderSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { testMeshConfig } from "../mesh_fixture.ts";
import { AGENT_TYPE_URLS, type ConfigObject, type ProxyNode } from "../../../lib/mesh/model/mod.ts";
import { create } from "../../../lib/kit/proto/mod.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Features } from "../../../lib/mesh/translate/mod.ts";
import {
  type Bench,
  contentOf,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../translation_fixture.ts";
import { type FieldCase, withField } from "./fields.ts";

/** Switches without which fields do nothing are on. */
const FEATURES: Features = { ...DEFAULT_FEATURES, tlsOnIngress: true };

/** Result of a field. */
export interface Outcome {
  readonly changes: boolean;
  readonly warned: boolean;
  readonly refused: boolean;
  /** Errors that are not about the field: the case is built wrong. */
  readonly stray: readonly string[];
}

/** Scene in which the fields of one kind are tested. */
export interface Scene {
  /** The name of the table. */
  readonly kind: string;
  /** The kind as documents have it; default: the same. */
  readonly written?: string;
  readonly apiVersion: string;
  readonly namespace: string;
  /** Specification of the object under test, by the label of the field. */
  readonly specOf: (label: string) => unknown;
}

/** Proxies that look at the mesh: what one of them is served differently counts. */
const WATCHERS: readonly ProxyNode[] = [
  proxyNode("one", { labels: { app: "client" } }),
  proxyNode("two", { ip: "10.9.0.1", labels: { app: "other" } }),
  proxyNode("one", { ip: "10.0.0.1", labels: { app: "server", version: "v1" } }),
  proxyNode("one", {
    ip: "10.0.0.7",
    metadata: { INTERCEPTION_MODE: "NONE" },
    labels: { app: "bare" },
  }),
  proxyNode("one", {
    ip: "10.0.0.1",
    labels: { app: "server", version: "v1" },
    metadata: {
      TLS_SERVER_CERT_CHAIN: "/chain",
      TLS_SERVER_KEY: "/key",
      TLS_SERVER_ROOT_CERT: "/root",
    },
  }),
  proxyNode("one", {
    labels: { app: "secured" },
    metadata: {
      TLS_CLIENT_CERT_CHAIN: "/chain",
      TLS_CLIENT_KEY: "/key",
      TLS_CLIENT_ROOT_CERT: "/root",
    },
  }),
  {
    ...proxyNode("one", {
      ip: "10.0.0.9",
      labels: { gateway: "edge", "gateway.networking.k8s.io/gateway-name": "edge" },
    }),
    role: "router",
  },
  proxyNode("one", {
    ip: "10.9.0.2",
    labels: { app: "placed" },
    locality: { region: "r1", zone: "z1", subzone: "" },
    metadata: {
      NETWORK: "near",
      TLS_CLIENT_CERT_CHAIN: "/cert.pem",
      TLS_CLIENT_KEY: "/key.pem",
      TLS_CLIENT_ROOT_CERT: "/ca.pem",
    },
  }),
];

/** A network that others enter by a gateway. */
const NETWORKS = create(MeshNetworksSchema, {
  networks: {
    probe: { gateways: [{ gw: { case: "address", value: "192.0.2.1" }, port: 15443 }] },
  },
});

/** A mesh with its watchers. */
export interface Stage {
  /** Everything that the watchers are served, as one text. */
  look(): string;
  readonly bench: Bench;
}

/** A mesh configuration with somewhere to count, log and trace to. */
function withProviders(): MeshConfig {
  const config = testMeshConfig();
  config.extensionProviders = defaultMeshConfig().extensionProviders;
  for (const [name, maxTagLength] of [["traces", 8], ["more", 9]] as const) {
    config.extensionProviders.push(create(ExtensionProviderSchema, {
      name,
      provider: { case: "opentelemetry", value: { service: "a.example", port: 80, maxTagLength } },
    }));
  }
  config.defaultProviders = create(DefaultProvidersSchema, { tracing: ["traces"] });
  return config;
}

/** A mesh of documents that the objects under test are put into. */
export function openStage(background: string): Stage {
  const bench = startTranslation(withProviders(), FEATURES);
  bench.apply({ networks: NETWORKS });
  bench.set(background);
  const bindings = WATCHERS.map((node) => bench.translation.source.bind(node, () => {}));
  return {
    bench,
    look: () =>
      JSON.stringify(bindings.map((binding) => [
        everything(binding),
        Object.values(AGENT_TYPE_URLS).map((url) => contentOf(binding.view(url))),
      ])),
  };
}

/** Sets one field and tells what came of it; the stage is left as it was. */
export function tryField(stage: Stage, scene: Scene, field: FieldCase): Outcome {
  const spec = scene.specOf(field.label);
  const plain = check(stage, scene, spec);
  const before = stage.look();
  const { problems, warnings } = check(stage, scene, withField(spec, field));
  const changes = problems.length === 0 && stage.look() !== before;
  stage.bench.remove(scene.kind as never, `${scene.namespace}/subject`);
  const path = textOf(field.path);
  const about = (one: ObjectProblem) => one.path === "kind" || names(one.path, path);
  return {
    changes,
    warned: warnings.some(about),
    refused: problems.some(about),
    stray: [...plain.problems, ...problems.filter((one) => !about(one))]
      .map((one) => `${one.path}: ${one.message}`),
  };
}

/**
 * Everything that the watchers are served with a specification; the stage is left as it was.
 *
 * @throws Error with the first problem of the specification
 */
export function servedWith(stage: Stage, scene: Scene, spec: unknown): string {
  const [problem] = check(stage, scene, spec).problems;
  if (problem !== undefined) throw new Error(`${scene.kind} ${problem.path}: ${problem.message}`);
  const served = stage.look();
  stage.bench.remove(scene.kind as never, `${scene.namespace}/subject`);
  return served;
}

/** Puts the object under test into the mesh, if it is good. */
function check(stage: Stage, scene: Scene, spec: unknown): ReturnType<typeof checkObject> {
  const { kind, written = kind, apiVersion, namespace } = scene;
  const metadata = { name: "subject", namespace };
  const checked = checkObject({ apiVersion, kind: written, metadata, spec });
  if (checked.object === undefined) return checked;
  const meta: ConfigObject["meta"] = {
    ...checked.object.meta,
    kind,
    generation: 1,
    origin: { source: "file", file: "test.yaml", line: 1 },
  };
  const object = { meta, spec: checked.object.spec, digest: checked.object.digest };
  stage.bench.apply({
    objects: [{ kind: kind as never, key: `${namespace}/subject`, object }],
  });
  return checked;
}

/** A path as problems show it, below `spec`. */
function textOf(path: FieldCase["path"]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step)
      ? `${text}.${step}`
      : `${text}[${JSON.stringify(step)}]`;
  }, "spec");
}

/**
 * Reports if a reported path is that of the field, or of a message that the field is in, except the
 * root.
 */
function names(reported: string, path: string): boolean {
  return reported !== "spec" &&
    (path === reported || path.startsWith(`${reported}.`) || path.startsWith(`${reported}[`));
}
