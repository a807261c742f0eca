/**
 * The daemon's core: sources, and the translation that they feed.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  createPushLog,
  createSpending,
  type DebugInputs,
  type PushLog,
  type Spending,
} from "../../lib/debug/mod.ts";
import { tableOf } from "../../lib/derive/mod.ts";
import { createGraph } from "../../lib/graph/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { createReceipts, type Receipts } from "../../lib/receipts/mod.ts";
import { createDebouncer } from "../../lib/ingest/mod.ts";
import { countBatch, meshWarnings, observeUnused } from "../../lib/monitor/mod.ts";
import {
  readDebounceSettings,
  readEvictionInterval,
  readFeatures,
  readKeep,
} from "../../lib/settings/mod.ts";
import {
  type CredentialSourceOptions,
  type Directories,
  type SourceProblem,
  startCredentialSource,
  watchMeshConfig,
  watchNetworks,
} from "../../lib/sources/mod.ts";
import { createTranslation, type Translation } from "../../lib/translate/mod.ts";
import { type MakeTranslation } from "../../lib/whatif/mod.ts";
import { startConfigSources } from "./config_sources.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { resolveGateways } from "./gateway_names.ts";
import { allowedRanges, startKeySets } from "./key_sets.ts";
import type { DiscoveryOptions } from "./options.ts";
import { editedObject } from "./edited.ts";
import { createPending } from "./pending.ts";
import { createPublisher } from "./publisher.ts";
import { type Registration, startRegistration } from "./registration.ts";
import { type Record, startRecord } from "./record.ts";
import { resolveAuthorities } from "./trust_bundles.ts";
import { MESH_CREDENTIAL_DIR } from "./variables.ts";

const log = scope("default");

/** The daemon's core: sources that feed translation. */
export interface Core {
  readonly translation: Translation;
  /** Makes another translation with the same settings. */
  readonly again: MakeTranslation;
  readonly pushes: PushLog;
  readonly spending: Spending;
  readonly record: Record;
  readonly files: Directories;
  readonly registration: Registration;
  /** What is set aside, in the mesh files and in the config directory. */
  readonly problems: () => readonly SourceProblem[];
  readonly warnings: DebugInputs["warnings"];
  readonly receipts: Receipts;
  /** While something is published: when the first change of it came. */
  readonly changedAt: () => number | undefined;
}

/**
 * Starts what feeds translation.
 *
 * @throws MeshError for files and variables that cannot be used
 */
export async function startCore(
  options: DiscoveryOptions,
  stack: AsyncDisposableStack,
  makeGraph: typeof createGraph,
): Promise<Core> {
  let publish = (_since: number): void => {};
  let stirred = (): boolean => false;
  let serving: NonNullable<Parameters<typeof createPending>[0]> = () => undefined;
  const pending = createPending((kind, key) => serving(kind, key), () => Date.now());
  const debouncer = createDebouncer({
    ...readDebounceSettings(),
    now: () => performance.now(),
    moreExpected: () => stirred(),
    timer: (run, ms) => {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
    publish: (batch) => {
      countBatch(batch);
      publish(batch.since);
    },
  });
  let idle = (): Promise<void> => Promise.resolve();
  stack.defer(() => idle());
  stack.defer(() => debouncer.stop());
  const features = readFeatures();
  let followSources = (_mesh: MeshConfig): void => {};
  const renewMesh = (value: MeshConfig): void => {
    pending.addMesh(value);
    debouncer.changed("global");
  };
  const authorities = stack.use(resolveAuthorities({
    told: features.multiRoot,
    allowed: allowedRanges(),
    onChange: renewMesh,
  }));
  const mesh = await watchMeshConfig({
    path: options.meshConfig,
    explicit: options.given.has("meshConfig"),
    onChange: (value) => {
      followSources(value);
      renewMesh(authorities.resolve(value));
    },
  });
  stack.defer(() => mesh.close());
  const renewNetworks = (value: MeshNetworks): void => {
    pending.addNetworks(value);
    debouncer.changed("networks");
  };
  const gateways = stack.use(resolveGateways(renewNetworks));
  const networks = await watchNetworks({
    path: options.networksConfig,
    explicit: options.given.has("networksConfig"),
    onChange: (value) => renewNetworks(gateways.resolve(value)),
  });
  stack.defer(() => networks.close());
  const graph = makeGraph({
    now: () => performance.now(),
    onFault: (table, key, fault) => {
      if (fault === undefined) log.info("a computation works again", { table, key });
      else {log.error("a computation failed", {
          table,
          key,
          inputs: fault.inputs,
          error: fault.error,
        });}
    },
  });
  const keep = readKeep();
  const again: MakeTranslation = (graph, rows) =>
    createTranslation(graph, {
      domain: options.domain,
      clusterId: options.clusterId,
      features,
      keep,
      ...rows,
    });
  const translation = again(graph, {
    config: authorities.resolve(mesh.current()),
    networks: gateways.resolve(networks.current()),
  });
  serving = (kind, key) => tableOf(translation.mesh.tables, kind).peek(key);
  const publisher = createPublisher({
    translation,
    take: () => pending.take(),
    now: () => performance.now(),
  });
  publish = (since) => publisher.publish(since);
  idle = () => publisher.idle();
  const registration = startRegistration(
    (key) => serving("WorkloadEntry", key)?.meta.origin.source === "file",
    (changes) => debouncer.changed(...pending.addObjects(changes)),
  );
  stack.defer(() => registration.close());
  let first = true;
  let early = true;
  const sources = await startConfigSources(options, mesh.current(), (changes, at) => {
    const kinds = pending.addObjects(changes);
    registration.follow(changes);
    // What is there at the start is served before anybody can ask.
    if (first) translation.apply(pending.take());
    else debouncer.changedAt(at, kinds);
    first = false;
  });
  const { files } = sources;
  stack.defer(() => files.close());
  followSources = sources.follow;
  followSources(mesh.current());
  stirred = files.stirred;
  await followCredentials(stack, (found) => {
    pending.addCredentials(found);
    // What is there at the start is served before anybody can ask.
    if (early) translation.apply(pending.take());
    else debouncer.changed("global");
  });
  early = false;
  const keySets = startKeySets(translation, (fetched) => {
    pending.addKeySets(fetched);
    debouncer.changed("global");
  });
  stack.use(keySets);
  const countUnused = observeUnused(graph);
  const eviction = setInterval(() => {
    if (!publisher.busy) translation.tidy();
    countUnused();
  }, readEvictionInterval());
  stack.defer(() => clearInterval(eviction));
  const recorded = { domain: options.domain, clusterId: options.clusterId, features };
  const watched = [mesh, networks, files];
  const receipts = createReceipts({
    edits: (since) => graph.edits(since),
    causes: (collection, name) => graph.causes(collection, name),
    identify: (edit) => editedObject(translation.mesh.tables, pending, edit),
    clock: () => Date.now(),
  });
  return {
    translation,
    again,
    pushes: createPushLog(graph),
    spending: createSpending(graph),
    record: stack.use(await startRecord(translation, recorded, () => publisher.busy)),
    receipts,
    changedAt: () => publisher.since,
    files,
    registration,
    problems: () => watched.flatMap((source) => source.problems()),
    warnings: () => [
      ...watched.flatMap((source) => source.warnings()),
      ...authorities.warnings(),
      ...meshWarnings(translation, features),
    ],
  };
}

/** Follows the certificates that Gateways name, where there is a directory of them. */
async function followCredentials(
  stack: AsyncDisposableStack,
  onChange: CredentialSourceOptions["onChange"],
): Promise<void> {
  const dir = MESH_CREDENTIAL_DIR.get();
  if (dir === undefined || dir === "") return;
  stack.use(await startCredentialSource({ dir: resolve(dir), onChange }));
}
