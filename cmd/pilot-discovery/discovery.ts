/**
 * `pilot-discovery discovery`: from options to a running daemon, until it is
 * asked to end. Composes the rooms and has no logic of its own.
 *
 * @module
 */
import { resolve } from "node:path";
import { buildInfo, buildLine, MeshError } from "../../lib/base/mod.ts";
import { warnIneffective } from "../../lib/cli/mod.ts";
import {
  createPushLog,
  createSpending,
  type DebugInputs,
  debugRoutes,
  type PushLog,
  type Spending,
} from "../../lib/debug/mod.ts";
import { tableOf } from "../../lib/derive/mod.ts";
import { idleEnv, validateEnv, warnIdleEnv } from "../../lib/env/mod.ts";
import { createGraph } from "../../lib/graph/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { startProcessMetrics } from "../../lib/metrics/mod.ts";
import { createReceipts, type Receipts } from "../../lib/receipts/mod.ts";
import {
  createDebouncer,
  createXdsServer,
  DEBOUNCE_AFTER,
  DEBOUNCE_MAX,
  derivedRequestRate,
  derivedThrottle,
  ENABLE_EDS_DEBOUNCE,
  MAX_RECEIVE,
  MAX_REQUESTS_PER_SECOND,
  MAX_STREAMS,
  PUSH_THROTTLE,
  type XdsServer,
} from "../../lib/serve/mod.ts";
import {
  type CredentialSourceOptions,
  type FileSource,
  type SourceProblem,
  startCredentialSource,
  startFileSource,
  watchMeshConfig,
  watchNetworks,
} from "../../lib/sources/mod.ts";
import { createTranslation, type Translation } from "../../lib/translate/mod.ts";
import { createWhatIf, type MakeTranslation } from "../../lib/whatif/mod.ts";
import { conflictWarnings, observeConflicts } from "./conflicts.ts";
import { unmetWarnings } from "./unmet.ts";
import { readFeatures } from "./features.ts";
import { observePatches, patchWarnings } from "./patches.ts";
import { switchedOffWarnings } from "./switched_off.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { resolveGateways } from "./gateway_names.ts";
import { startKeySets } from "./key_sets.ts";
import { openIntrospection, withProfiles } from "./introspection.ts";
import { startRpc, startWeb } from "./listeners.ts";
import { monitoringRoutes, observe, readyRoute } from "./monitoring.ts";
import type { DiscoveryOptions } from "./options.ts";
import { culpritsIn, editedObject } from "./edited.ts";
import { readKeep, startKeeping } from "./memory.ts";
import { createPending } from "./pending.ts";
import { createPublisher } from "./publisher.ts";
import { type Registration, startRegistration } from "./registration.ts";
import { type Record, startRecord } from "./record.ts";
import { checkSupported, INERT_FLAGS } from "./settings.ts";
import { observeState } from "./state_metrics.ts";
import {
  ENABLE_ADMIN_ENDPOINTS,
  ENABLE_DEBUG_ON_HTTP,
  MESH_CREDENTIAL_DIR,
  METRICS_LOCALHOST_ACCESS_ONLY,
  POD_NAME,
} from "./variables.ts";

const log = scope("default");

/**
 * Runs the daemon until `signal` or its introspection asks it to end.
 *
 * @param makeGraph makes the engine; tests give one that computes something wrong
 * @returns the exit status
 * @throws MeshError for options, variables or files that cannot be used, and for
 * listeners that cannot be opened
 */
export async function discovery(
  options: DiscoveryOptions,
  signal: AbortSignal,
  makeGraph: typeof createGraph = createGraph,
): Promise<number> {
  validateEnv("pilot-discovery");
  const notes = checkSupported(options);
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  // First of the listeners, so that it is the last to go: it shows the others draining.
  await openIntrospection(options, () => stopping.abort(), stack);
  stack.defer(startProcessMetrics());
  const daemon = await startTranslation(options, stack, makeGraph);
  const xds = createXdsServer({
    source: daemon.translation.source,
    now: () => performance.now(),
    clock: () => Date.now(),
    culprits: culpritsIn(daemon.translation.mesh),
    changedAt: daemon.changedAt,
    pod: POD_NAME.get() ?? Deno.hostname(),
    instance: crypto.randomUUID().slice(0, 8),
    pushes: PUSH_THROTTLE.get() || derivedThrottle(navigator.hardwareConcurrency),
    requestRate: MAX_REQUESTS_PER_SECOND.get() ||
      derivedRequestRate(navigator.hardwareConcurrency),
    observers: [
      daemon.receipts.observer,
      daemon.pushes.observer,
      daemon.spending.observer,
      ...daemon.registration.observers,
    ],
  });
  await listen(options, daemon, xds, stack);
  const warn: typeof log.warn = (message, fields) => log.warn(message, fields);
  warnIneffective(options.given, INERT_FLAGS, warn);
  warnIdleEnv(idleEnv("pilot-discovery"), warn);
  for (const note of notes) log.info(note);
  log.info("ready", { version: buildLine(), configDir: options.configDir });
  await aborted(AbortSignal.any([signal, stopping.signal]));
  log.info("stopping", { within: `${options.shutdownDurationMs} ms` });
  return 0;
}

/** The daemon's core: sources that feed translation. */
interface Core {
  readonly translation: Translation;
  /** Makes another translation with the same settings. */
  readonly again: MakeTranslation;
  readonly pushes: PushLog;
  readonly spending: Spending;
  readonly record: Record;
  readonly files: FileSource;
  readonly registration: Registration;
  /** What is set aside, in the mesh files and in the config directory. */
  readonly problems: () => readonly SourceProblem[];
  readonly warnings: DebugInputs["warnings"];
  readonly receipts: Receipts;
  /** While something is published: when the first change of it came. */
  readonly changedAt: () => number | undefined;
}

async function startTranslation(
  options: DiscoveryOptions,
  stack: AsyncDisposableStack,
  makeGraph: typeof createGraph,
): Promise<Core> {
  let publish = (): void => {};
  let serving: NonNullable<Parameters<typeof createPending>[0]> = () => undefined;
  const pending = createPending((kind, key) => serving(kind, key), () => Date.now());
  const debouncer = createDebouncer({
    after: DEBOUNCE_AFTER.get(),
    max: DEBOUNCE_MAX.get(),
    endpointsWait: ENABLE_EDS_DEBOUNCE.get(),
    now: () => performance.now(),
    timer: (run, ms) => {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
    publish: () => publish(),
  });
  let idle = (): Promise<void> => Promise.resolve();
  stack.defer(() => idle());
  stack.defer(() => debouncer.stop());
  const mesh = await watchMeshConfig({
    path: options.meshConfig,
    explicit: options.given.has("meshConfig"),
    onChange: (value) => {
      pending.addMesh(value);
      debouncer.touch("global");
    },
  });
  stack.defer(() => mesh.close());
  const renewNetworks = (value: MeshNetworks): void => {
    pending.addNetworks(value);
    debouncer.touch("networks");
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
  const features = readFeatures();
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
    config: mesh.current(),
    networks: gateways.resolve(networks.current()),
  });
  serving = (kind, key) => tableOf(translation.mesh.tables, kind).peek(key);
  const publisher = createPublisher({
    translation,
    take: () => pending.take(),
    since: () => debouncer.since,
    now: () => performance.now(),
  });
  publish = () => publisher.publish();
  idle = () => publisher.idle();
  const registration = startRegistration(
    (key) => serving("WorkloadEntry", key)?.meta.origin.source === "file",
    (changes) => debouncer.touch(...pending.addObjects(changes)),
  );
  stack.defer(() => registration.close());
  let first = true;
  let early = true;
  const files = await startFileSource({
    dir: resolve(options.configDir),
    onChange: (changes) => {
      const kinds = pending.addObjects(changes);
      registration.follow(changes);
      // What is there at the start is served before anybody can ask.
      if (first) translation.apply(pending.take());
      else debouncer.touch(...kinds);
      first = false;
    },
  });
  stack.defer(() => files.close());
  await followCredentials(stack, (found) => {
    pending.addCredentials(found);
    // What is there at the start is served before anybody can ask.
    if (early) translation.apply(pending.take());
    else debouncer.touch("global");
  });
  early = false;
  const keySets = startKeySets(translation, (fetched) => {
    pending.addKeySets(fetched);
    debouncer.touch("global");
  });
  stack.use(keySets);
  stack.use(startKeeping(translation, () => publisher.busy));
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
      ...conflictWarnings(translation, features.scopeGatewayToNamespace),
      ...unmetWarnings(translation),
      ...switchedOffWarnings(translation, features),
      ...patchWarnings(translation),
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

/** Opens the listeners; each is closed, with its grace, in the reverse order. */
async function listen(
  options: DiscoveryOptions,
  core: Core,
  xds: XdsServer,
  stack: AsyncDisposableStack,
): Promise<void> {
  const { shutdownDurationMs: grace } = options;
  let ready = false;
  observeConflicts(core.translation);
  observePatches(core.translation);
  observe(core.translation.mesh.graph);
  stack.use(observeState({ translation: core.translation, sessions: () => xds.sessions() }));
  // One for both listeners: rehearsals are made one at a time.
  const debugPages = debug(options, core, xds);
  if (options.monitoringAddr !== "") {
    const web = await startWeb({
      name: "monitoring",
      address: options.monitoringAddr,
      routes: [
        ...monitoringRoutes({ localOnly: METRICS_LOCALHOST_ACCESS_ONLY.get() }),
        ...debugPages,
      ],
    });
    stack.defer(() => web.stop(Math.min(grace, 1_000)));
  }
  if (options.httpAddr !== "") {
    const { routes, limits } = withProfiles(options);
    const web = await startWeb({
      name: "http",
      address: options.httpAddr,
      routes: [readyRoute(() => ready), ...debugPages, ...routes],
      limits,
    });
    stack.defer(() => web.stop(Math.min(grace, 1_000)));
  }
  if (options.grpcAddr === "") {
    throw new MeshError("no-listener", "--grpcAddr is empty, so no proxy could connect", {
      remedy: "Give --grpcAddr an address such as :15010; the secured listener is not there yet.",
    });
  }
  const rpc = await startRpc({
    address: options.grpcAddr,
    services: xds.services,
    limits: { maxReceive: MAX_RECEIVE.get(), maxStreams: MAX_STREAMS.get() },
    keepalive: {
      interval: options.keepaliveIntervalMs,
      timeout: options.keepaliveTimeoutMs,
      maxAge: options.keepaliveMaxServerConnectionAgeMs,
    },
  });
  log.info("serving discovery", { address: rpc.address });
  ready = true;
  stack.defer(async () => {
    ready = false;
    // Streams end one after the other over half of the time; what is left then is cut.
    await xds.drain(grace / 2);
    await rpc.stop(grace / 2);
  });
}

function debug(options: DiscoveryOptions, core: Core, xds: XdsServer) {
  if (!ENABLE_DEBUG_ON_HTTP.get()) return [];
  const sessions = () => xds.sessions();
  return debugRoutes({
    whatIf: createWhatIf({ live: core.translation, make: core.again, sessions }),
    pushes: () => core.pushes.recent(),
    spending: core.spending,
    history: core.record.history,
    audit: core.record.audit,
    disconnect: ENABLE_ADMIN_ENDPOINTS.get() ? (proxy) => xds.disconnect(proxy) : undefined,
    sessions,
    mesh: core.translation.mesh,
    objects: () =>
      [...core.files.objects(), ...core.registration.objects()].filter(({ meta }) =>
        core.translation.sees(meta.namespace)
      ),
    problems: core.problems,
    warnings: core.warnings,
    receipts: core.receipts,
    quarantined: () => xds.quarantined(),
    pushAll: () => xds.pushAll(),
    now: () => Date.now(),
    clusterId: options.clusterId,
    version: buildInfo.version,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
