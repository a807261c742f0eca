/**
 * The debug views of the daemon, which HTTP listeners and discovery streams serve, and the
 * observation of the mesh behind them.
 *
 * @module
 */
import { buildInfo } from "../../lib/kit/base/mod.ts";
import {
  type DebugInputs,
  debugQueries,
  type DebugQuery,
  debugRoutes,
  SAMPLE_MS,
  UNSAFE_ENABLE_ADMIN_ENDPOINTS,
} from "../../lib/insight/debug/mod.ts";
import {
  createTrafficReader,
  meshWarnings,
  observeConflicts,
  observeDifference,
  observeEngine,
  observeMesh,
  observePatches,
  observeSources,
  type ProxyStates,
  type RunningAnalysis,
  type RunningProxyWarnings,
  startAnalysis,
  startProxyWarnings,
} from "../../lib/insight/monitor/mod.ts";
import { type ConfigObject, objectRef } from "../../lib/mesh/model/mod.ts";
import type { LearnedScopes, XdsServer } from "../../lib/mesh/xds/mod.ts";
import { createPipeline } from "../../lib/mesh/translate/mod.ts";
import type { Message } from "../../lib/insight/analyze/mod.ts";
import { type FetchedKeySets, fieldPositions } from "../../lib/mesh/sources/mod.ts";
import type { Route } from "../../lib/kit/web/mod.ts";
import { createWhatIf } from "../../lib/insight/whatif/mod.ts";
import { differenceNow } from "./difference.ts";
import type { Engine } from "./engine.ts";
import { clusterExpiries } from "./clusters.ts";
import type { Identity } from "./identity.ts";
import type { Records } from "./records.ts";
import type { Settings } from "./settings.ts";
import type { Sources } from "./sources.ts";

/** The parts of the daemon that are shown. */
export interface Viewed {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly sources: Sources;
  readonly records: Records;
  readonly identity: Identity;
  readonly xds: XdsServer;
  readonly learned: LearnedScopes;
  readonly proxyStates: ProxyStates;
  readonly keySets: FetchedKeySets;
  /** Templates and values of injection; `undefined` where pods are not injected. */
  readonly injection: (() => unknown) | undefined;
}

/** The same with the analysis of the mesh and of connected proxies. */
interface Observed extends Viewed {
  readonly analysis: RunningAnalysis;
  readonly proxyWarnings: RunningProxyWarnings;
}

export interface DebugViews {
  /** Routes of the HTTP listeners. */
  readonly routes: readonly Route[];
  /** Answers the queries of discovery streams. */
  readonly answer: DebugQuery;
  /** Messages of the running analysis. */
  readonly messages: () => readonly Message[];
}

/** Creates the views; one set for all listeners, because what-if questions are answered one at a time. */
export function openDebugViews(viewed: Viewed, stack: AsyncDisposableStack): DebugViews {
  const observed = observe(viewed, stack);
  const inputs = inputsOf(observed);
  const routes = debugRoutes(inputs);
  return { routes, answer: debugQueries(inputs, routes), messages: observed.analysis.messages };
}

/** Registers the metrics that are collected when they are scraped, and starts the analysis. */
function observe(viewed: Viewed, stack: AsyncDisposableStack): Observed {
  const { engine, xds } = viewed;
  const { graph, pipeline: { translation }, ingest } = engine;
  observeConflicts(translation);
  observePatches(translation);
  observeEngine(graph);
  observeSources(ingest);
  observeDifference(() => differenceNow(engine, viewed.sources, xds));
  const sessions = () => xds.sessions();
  stack.use(observeMesh({ translation, sessions }));
  const analysis = startAnalysis({
    mesh: translation.mesh,
    sessions,
    load: () => xds,
    every: ingest.every,
    locate: (fields) => fieldPositions(fields, { home: viewed.settings.options.configDir }),
  });
  const take = (): void =>
    viewed.records.samples.take({
      time: Date.now(),
      proxies: sessions().length,
      memory: Deno.memoryUsage().rss,
    });
  take();
  stack.defer(ingest.every(SAMPLE_MS, take));
  const proxyWarnings = startProxyWarnings({
    mesh: translation.mesh,
    sessions,
    every: ingest.every,
    scoped: viewed.settings.pipeline.features.scopeGatewayToNamespace,
  });
  return { ...viewed, analysis: stack.use(analysis), proxyWarnings: stack.use(proxyWarnings) };
}

function inputsOf(
  { analysis, proxyWarnings, ...viewed }: Observed,
): DebugInputs {
  const { settings, engine, sources, records, identity, xds, learned, injection, proxyStates } =
    viewed;
  const { files, controlPlanes, orchestrator, clusters, ingress, registration } = sources;
  const origins = [
    files,
    controlPlanes,
    ...orchestrator ? [orchestrator] : [],
    ...ingress ? [ingress] : [],
    registration,
  ];
  const { pipeline } = engine;
  const { translation, writer, mesh } = pipeline;
  const sessions = () => xds.sessions();
  const isAdmin = UNSAFE_ENABLE_ADMIN_ENDPOINTS.get();
  return {
    whatIf: createWhatIf({
      live: pipeline,
      make: (graph) => createPipeline(graph, settings.pipeline),
      sessions,
    }),
    pushes: () => records.pushes.recent(),
    spending: records.spending,
    samples: () => records.samples.recent(),
    history: records.history,
    audit: records.audit,
    disconnect: isAdmin ? (proxy) => xds.disconnect(proxy) : undefined,
    sessions,
    clients: () => xds.clients(),
    mesh,
    bind: (node) => translation.source.bind(node, () => {}),
    later: (ms, run) => Deno.unrefTimer(setTimeout(run, ms)),
    objects: () =>
      firsts(origins.flatMap((source) => source.objects()))
        .filter(({ meta }) => writer.selects(meta.namespace)),
    orchestrator: orchestrator && (() => orchestrator.resources()),
    clusters: clusters && (() => clusters.clusters()),
    shared: orchestrator && (() => [
      ...orchestrator.shared().map((one) => ({ cluster: settings.pipeline.clusterId, ...one })),
      ...(clusters?.clusters() ?? []).flatMap(({ cluster, shared }) =>
        shared.map((one) => ({ cluster, ...one }))
      ),
    ]),
    injection,
    problems: sources.problems,
    credentialFaults: sources.credentialFaults,
    fetchFaults: () => ({ keySets: viewed.keySets.faults(), bundles: sources.bundleFaults() }),
    warnings: () => [
      ...sources.warnings(),
      ...meshWarnings(translation, settings.pipeline.features),
    ],
    proxyStates,
    proxyWarnings: proxyWarnings.warnings,
    analysis: analysis.messages,
    receipts: records.receipts,
    quarantined: () => xds.quarantined(),
    learned: () => learned.list(),
    hostAsked: translation.hostAsked,
    pushAll: () => xds.pushAll(),
    oldestDifference: () => differenceNow(engine, sources, xds),
    certificates: () => [...identity.expiries(), ...clusterExpiries(clusters?.clusters() ?? [])],
    traffic: createTrafficReader(),
    scopedGateways: settings.pipeline.features.scopeGatewayToNamespace,
    now: () => Date.now(),
    startedAt: performance.timeOrigin,
    clusterId: settings.pipeline.clusterId,
    version: buildInfo.version,
  };
}

/** Drops objects whose name an earlier one has: earlier sources have precedence. */
function firsts(objects: readonly ConfigObject[]): ConfigObject[] {
  const byName = new Map<string, ConfigObject>();
  for (const object of objects) {
    const name = objectRef(object);
    if (!byName.has(name)) byName.set(name, object);
  }
  return [...byName.values()];
}
