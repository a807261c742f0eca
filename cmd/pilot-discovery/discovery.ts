/**
 * `pilot-discovery discovery`: starts the daemon in stages and runs it until it is asked to end. Each
 * stage is one constant that the later ones use.
 *
 * @module
 */
import { buildLine } from "../../lib/kit/base/mod.ts";
import { warnIneffective } from "../../lib/kit/cli/mod.ts";
import {
  envText,
  ineffectiveVariables,
  validateEnv,
  warnIneffectiveVariables,
} from "../../lib/kit/env/mod.ts";
import type { DebugQuery } from "../../lib/insight/debug/mod.ts";
import { createGraph } from "../../lib/mesh/graph/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { startProcessMetrics } from "../../lib/kit/metrics/mod.ts";
import {
  countUnselectedPods,
  createProxyStates,
  createReadiness,
  logChanges,
  type ProxyStates,
  type Readiness,
} from "../../lib/insight/monitor/mod.ts";
import { parseSpiffe } from "../../lib/kit/pki/mod.ts";
import {
  createXdsServer,
  derivedRequestRate,
  derivedThrottle,
  type LearnedScopes,
  MAX_REQUESTS_PER_SECOND,
  PUSH_THROTTLE,
  type XdsServer,
} from "../../lib/mesh/xds/mod.ts";
import { culpritsIn, proxySettings } from "../../lib/mesh/translate/mod.ts";
import { startControllers } from "./controllers.ts";
import { openDebugViews } from "./debug_views.ts";
import { beginAuthority } from "./authority.ts";
import { createEngine, type Engine } from "./engine.ts";
import { type Identity, openIdentity } from "./identity.ts";
import { openIntrospection } from "./introspection.ts";
import { oneVersionOfIp } from "./ip_versions.ts";
import { learnScopes } from "./learned.ts";
import { listen, UNCERTIFIED } from "./listen.ts";
import type { DiscoveryOptions } from "./options.ts";
import { isOrchestrated } from "./orchestrator.ts";
import { openHttp } from "./ready.ts";
import { type Records, startRecords } from "./records.ts";
import { readSettings } from "./settings.ts";
import { clusterClients } from "./token_reviews.ts";
import { openFirstSources, openLateSources, openSources, type Sources } from "./sources.ts";
import { AGENT_VARIABLES, checkSupported, INEFFECTIVE_FLAGS } from "./unsupported.ts";
import { POD_NAME } from "./variables.ts";
import { openWebhooks, type WebhooksInput } from "./webhooks.ts";

const log = scope("default");

/**
 * Runs the daemon until `signal` or its introspection asks it to end.
 *
 * @param makeGraph creates the engine; tests pass one that computes something wrong
 * @returns the exit status
 * @throws MeshError for options, variables or files that cannot be used, and for listeners that
 * cannot be opened
 */
export async function discovery(
  options: DiscoveryOptions,
  signal: AbortSignal,
  makeGraph: typeof createGraph = createGraph,
): Promise<number> {
  validateEnv("pilot-discovery");
  const notes = checkSupported(options, await isOrchestrated(options));
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  // The first listener, so that it is closed last: it shows how the others end.
  await openIntrospection(options, () => stopping.abort(), stack);
  stack.defer(startProcessMetrics());

  const settings = readSettings(options);
  const readiness = createReadiness();
  const http = await openHttp(options, readiness, stack);
  const engine = createEngine(settings, makeGraph);
  stack.defer(() => engine.ingest.close());
  const ending = AbortSignal.any([signal, stopping.signal]);
  const from = { settings, engine, readiness };
  const first = await openFirstSources(from, stack, ending);
  if (first === undefined) return 0;
  const served: { xds?: XdsServer } = {};
  const sessions = () => served.xds?.sessions() ?? [];
  const begun = beginAuthority({ ...first, settings, sessions }, stack);
  const sources = await openSources(from, first, stack, ending);
  if (sources === undefined) return 0;
  engine.ingest.build();
  const keySets = openLateSources(engine, sources, stack);
  const records = await startRecords(settings, engine, stack);
  const identity = await openIdentity({
    settings,
    mesh: sources.mesh,
    clients: clientsOf(options, sources),
    begun,
    ingest: engine.ingest,
  }, stack);
  const { fail, check } = lateFailures(stopping);
  const webhooks = await openWebhooks(
    { options, sources, identity, ...webhookFacts(engine, readiness), fail },
    stack,
  );
  const proxyStates = createProxyStates(() => xds.sessions());
  const learned = learnScopes(engine, stack);
  const xds: XdsServer = createServer(engine, {
    sources,
    records,
    identity,
    proxyStates,
    learned,
    answer: (query, client) => views.answer(query, client),
  });
  served.xds = xds;
  const { injection } = webhooks;
  const views = openDebugViews(
    { settings, engine, sources, records, identity, xds, learned, injection, proxyStates, keySets },
    stack,
  );
  const drain = await listen({ settings, identity, views, xds, readiness, http, fail }, stack);
  const controllers = startControllers({
    settings,
    engine,
    sources,
    records,
    identity,
    views,
    proxyStates,
  });
  // An API server that hangs must not hold up the end of the proxies' streams.
  stack.defer(async () => void await Promise.all([drain(), controllers[Symbol.asyncDispose]()]));

  warnAbout(options, [...notes, ...webhooks.notes]);
  const { dualStack = false } = settings.pipeline.features;
  const versions = oneVersionOfIp(engine.pipeline.translation.mesh, dualStack);
  if (versions !== undefined) log.warn(versions);
  announce(options, readiness);
  await aborted(ending);
  check();
  log.info("stopping", { within: `${options.shutdownDurationMs} ms` });
  return 0;
}

function clientsOf(options: DiscoveryOptions, { client, clusters }: Sources) {
  return client && clusterClients(options, client, (cluster) => clusters?.client(cluster));
}

function announce({ configDir }: DiscoveryOptions, readiness: Readiness): void {
  const facts = { version: buildLine(), configDir };
  if (readiness.isReady()) log.info("ready", facts);
  else log.warn("started, and not ready yet", { ...facts, reason: UNCERTIFIED });
}

/** Errors of listeners that are opened later: they end the daemon, and `check` throws the first one. */
function lateFailures(stopping: AbortController) {
  let failure: { readonly error: unknown } | undefined;
  return {
    fail(error: unknown): void {
      failure ??= { error };
      stopping.abort();
    },
    check(): void {
      if (failure !== undefined) throw failure.error;
    },
  };
}

function webhookFacts(
  { pipeline: { mesh } }: Engine,
  readiness: Readiness,
): Pick<WebhooksInput, "isReady" | "proxySettings"> {
  return {
    proxySettings: (pod) => proxySettings(mesh, { role: "sidecar", ...pod }),
    isReady: () => readiness.isReady(),
  };
}

function createServer(
  { graph, pipeline: { translation, mesh }, ingest }: Engine,
  { sources: { registration }, records, identity, proxyStates, learned, answer }: {
    readonly sources: Sources;
    readonly records: Records;
    readonly identity: Identity;
    readonly proxyStates: ProxyStates;
    readonly learned: LearnedScopes;
    readonly answer: DebugQuery;
  },
): XdsServer {
  const cpus = navigator.hardwareConcurrency;
  return createXdsServer({
    source: translation.source,
    authorize: identity.authorize,
    localCredentials: identity.localCredentials,
    isSystem: (id) => namespaceOf(id) === identity.systemNamespace,
    answerQuery: (query, { trusted, identity: id }) =>
      answer(query, { trusted, namespace: id === undefined ? undefined : namespaceOf(id) }),
    now: () => performance.now(),
    clock: () => Date.now(),
    culprits: culpritsIn(mesh),
    learned,
    changedAt: () => ingest.publishingSince,
    pod: POD_NAME.get() ?? Deno.hostname(),
    instance: crypto.randomUUID().slice(0, 8),
    pushes: PUSH_THROTTLE.get() || derivedThrottle(cpus),
    requestRate: MAX_REQUESTS_PER_SECOND.get() || derivedRequestRate(cpus),
    observers: [
      records.receipts.observer,
      records.pushes.observer,
      records.spending.observer,
      records.samples.observer,
      proxyStates.observer,
      countUnselectedPods(mesh),
      logChanges(graph, () => performance.now() - (ingest.publishingSince ?? performance.now())),
      ...registration.observers,
    ],
  });
}

function namespaceOf(identity: string): string | undefined {
  return parseSpiffe(identity)?.namespace;
}

/** Logs flags and variables without effect, and `notes`. */
function warnAbout({ given }: DiscoveryOptions, notes: readonly string[]): void {
  const warn: typeof log.warn = (message, fields) => log.warn(message, fields);
  warnIneffective(given, INEFFECTIVE_FLAGS, warn);
  warnIneffectiveVariables(ineffectiveVariables("pilot-discovery"), warn);
  for (const [variable, reason] of Object.entries(AGENT_VARIABLES)) {
    if (envText(variable)) warn("this variable has no effect", { variable, reason });
  }
  for (const note of notes) log.info(note);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
