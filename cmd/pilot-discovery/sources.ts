/**
 * The sources of the daemon. Each reports to ingest.
 *
 * @module
 */
import { resolve } from "node:path";
import type { Intake } from "../../lib/mesh/ingest/mod.ts";
import type { Readiness } from "../../lib/insight/monitor/mod.ts";
import type { OrchClient } from "../../lib/kit/orch/mod.ts";
import type { SchemaProblem } from "../../lib/mesh/schema/mod.ts";
import {
  type AuthoritiesSource,
  type ConfigDirectories,
  type ControlPlanes,
  type CredentialFault,
  type CredentialSource,
  type FetchedKeySets,
  type FetchFault,
  followAuthorities,
  type Followed,
  type FollowedTags,
  followRevisionTags,
  followSecrets,
  type IngressSource,
  MESH_CREDENTIAL_DIR,
  MESH_WATCH_NAMESPACE,
  type OrchestratorObjects,
  type Registration,
  type RemoteClusters,
  resolveTunnelGateways,
  type SecretsSource,
  type SourceProblem,
  startConfigDirectories,
  startControlPlanes,
  startCredentialSource,
  startKeySets,
  startRegistration,
} from "../../lib/mesh/sources/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { openClusters } from "./clusters.ts";
import type { Engine } from "./engine.ts";
import { openIngress } from "./ingress.ts";
import { openMeshSettings } from "./mesh_settings.ts";
import { connectOrchestrator, openOrchestrator, ownRevision, sourceName } from "./orchestrator.ts";
import type { DiscoveryOptions } from "./options.ts";
import { reasonsOf } from "./ready.ts";
import type { Settings } from "./settings.ts";
import { POD_NAME } from "./variables.ts";

/** Sources that have reported their initial sets. */
export interface Sources {
  /** The mesh configuration now. */
  mesh(): MeshConfig;
  /** Calls back after each change of the mesh configuration; returns a function that ends this. */
  onMesh(changed: () => void): () => void;
  readonly files: ConfigDirectories;
  readonly controlPlanes: ControlPlanes;
  /** Client of the orchestrator; unset without an orchestrator, and if objects come from `--configDir`. */
  readonly client: OrchClient | undefined;
  /** Unset without an orchestrator, and if objects come from `--configDir`. */
  readonly orchestrator: OrchestratorObjects | undefined;
  /** Objects that Ingress objects stand for; unset without an orchestrator. */
  readonly ingress: IngressSource | undefined;
  /** Remote clusters; unset without an orchestrator. */
  readonly clusters: RemoteClusters | undefined;
  readonly registration: Registration;
  /** Authorities in ConfigMaps; unset without an orchestrator. */
  readonly authorities: AuthoritiesSource | undefined;
  /** Revision tags; unset without an orchestrator. */
  readonly tags: FollowedTags | undefined;
  /** Reasons of rejected documents. */
  problems(): readonly SourceProblem[];
  /** Warnings about documents in use. */
  warnings(): readonly SchemaProblem[];
  /** Trust bundles that cannot be fetched. */
  bundleFaults(): readonly FetchFault[];
  /** Credentials that cannot be used, of files and of the daemon's own cluster. */
  credentialFaults(): readonly CredentialFault[];
}

/** Dependencies of the sources. */
export interface SourcesInput {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Gets the reasons why the daemon waits for an orchestrator, or has lost it. */
  readonly readiness: Readiness;
}

/** Sources that are known before objects are read. */
export interface FirstSources extends Pick<Sources, "mesh" | "onMesh" | "client" | "registration"> {
  readonly fileIntake: Intake;
  readonly read: NonNullable<Awaited<ReturnType<typeof openMeshSettings>>>;
}

/**
 * Opens the sources that others depend on: the API server and the mesh configuration.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 * @throws MeshError for files that cannot be used
 */
export async function openFirstSources(
  { settings, engine: { pipeline: { writer }, ingest }, readiness }: SourcesInput,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<FirstSources | undefined> {
  const { options, pipeline: { features } } = settings;
  // The order of precedence, where several sources have an object of one name.
  const fileIntake = ingest.open("file");
  const registration = stack.use(startRegistration({
    ingest,
    entryInUse: (key) => writer.original("WorkloadEntry", key),
  }));
  const client = await connectOrchestrator(options, stack);
  if (client !== undefined) readiness.explain(() => reasonsOf(client.followed));
  const read = await openMeshSettings({ options, features, ingest, client, signal }, stack);
  return read && {
    mesh: () => read.mesh.current(),
    onMesh: (changed) => read.mesh.subscribe(changed),
    client,
    registration,
    fileIntake,
    read,
  };
}

/**
 * Opens the other sources that configuration is built from, and waits for their initial sets.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 * @throws MeshError for files that cannot be used
 */
export async function openSources(
  { settings: { options }, engine: { ingest } }: SourcesInput,
  { fileIntake, read: { mesh, networks, bundles }, ...first }: FirstSources,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Sources | undefined> {
  const { client } = first;
  const files = await startConfigDirectories({
    configDir: options.configDir,
    mesh,
    intake: fileIntake,
    optional: client !== undefined,
  });
  stack.defer(() => files.close());
  const credentials = await openCredentials(ingest, stack);
  const controlPlanes = await startControlPlanes({
    mesh,
    ingest,
    signal,
    node: { name: POD_NAME.get() ?? Deno.hostname(), ...options },
  });
  if (controlPlanes === undefined) return undefined;
  stack.defer(() => controlPlanes.close());
  const tags = client && openTags(client, options, stack);
  const opened = client && tags &&
    await openAllClusters(client, { options, ingest, tags, networks, signal }, stack);
  if (client !== undefined && opened === undefined) return undefined;
  const ingress = client && await openIngress(client, { options, ingest, signal, mesh }, stack);
  if (client !== undefined && ingress === undefined) return undefined;
  const documents = [
    mesh,
    networks,
    files,
    controlPlanes,
    ...opened ? [opened.orchestrator, opened.clusters] : [],
  ];
  return {
    ...first,
    files,
    controlPlanes,
    orchestrator: opened?.orchestrator,
    clusters: opened?.clusters,
    ingress,
    authorities: opened?.authorities,
    tags,
    problems: () => documents.flatMap((source) => source.problems()),
    warnings: () => [...documents.flatMap((source) => source.warnings()), ...bundles.warnings()],
    bundleFaults: () => bundles.faults(),
    credentialFaults: () => [
      ...credentials?.faults() ?? [],
      ...opened?.secrets.faults() ?? [],
    ],
  };
}

/** Opens the directory of credentials, if there is one. */
async function openCredentials(
  ingest: Engine["ingest"],
  stack: AsyncDisposableStack,
): Promise<CredentialSource | undefined> {
  const dir = MESH_CREDENTIAL_DIR.get() ?? "";
  if (dir === "") return undefined;
  const intake = ingest.open("credentials");
  return stack.use(await startCredentialSource({ dir: resolve(dir), intake }));
}

function openTags(
  client: OrchClient,
  { namespace }: DiscoveryOptions,
  stack: AsyncDisposableStack,
): FollowedTags {
  const tags = followRevisionTags({ client, namespace });
  stack.defer(() => tags.close());
  return tags;
}

interface OpenedClusters {
  readonly orchestrator: OrchestratorObjects;
  readonly clusters: RemoteClusters;
  /** Secrets of the daemon's own cluster. */
  readonly secrets: SecretsSource;
  /** Authorities in ConfigMaps of the daemon's own cluster. */
  readonly authorities: AuthoritiesSource;
}

/** Opens the daemon's own cluster, then remote ones. `undefined` when `signal` was aborted. */
async function openAllClusters(
  client: OrchClient,
  { options, ingest, tags, networks, signal }: {
    readonly options: DiscoveryOptions;
    readonly ingest: Engine["ingest"];
    readonly tags: FollowedTags;
    readonly networks: Followed<MeshNetworks>;
    readonly signal: AbortSignal;
  },
  stack: AsyncDisposableStack,
): Promise<OpenedClusters | undefined> {
  const intake = ingest.open(sourceName(options.clusterId));
  const secrets = stack.use(followSecrets({
    client,
    intake: ingest.open("secrets"),
    namespace: MESH_WATCH_NAMESPACE.get() ?? "",
  }));
  const revision = ownRevision(tags);
  const own = { options, intake, revision, networks, signal };
  const orchestrator = await openOrchestrator(client, own, stack);
  if (orchestrator === undefined) return undefined;
  const authorities = stack.use(followAuthorities({
    client,
    intake: ingest.open("authorities"),
    objects: orchestrator.objects(),
  }));
  await Promise.race([Promise.all([secrets.ready, authorities.ready]), ended(signal)]);
  const open = (name: string): Intake => ingest.open(name);
  const clusters = await openClusters(client, { options, open, revision, networks, signal }, stack);
  return clusters === undefined ? undefined : { orchestrator, clusters, secrets, authorities };
}

/** Opens the sources that need the built configuration: it names key sets, gateways and ConfigMaps. */
export function openLateSources(
  { pipeline: { translation }, ingest }: Engine,
  { authorities }: Pick<Sources, "authorities">,
  stack: AsyncDisposableStack,
): FetchedKeySets {
  authorities?.watch(translation.wantedConfigMaps);
  stack.use(
    resolveTunnelGateways(translation.wantedGatewayNames, ingest.open("names of gateways")),
  );
  return stack.use(startKeySets(translation.wantedKeySets, ingest.open("key sets")));
}

/** Resolves when the signal is aborted. */
function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
