/**
 * `pilot-discovery discovery`: from options to a running daemon, until it is
 * asked to end. Composes the rooms and has no logic of its own.
 *
 * @module
 */
import { buildInfo, buildLine, MeshError } from "../../lib/base/mod.ts";
import { warnIneffective } from "../../lib/cli/mod.ts";
import { debugRoutes } from "../../lib/debug/mod.ts";
import { ineffectiveVariables, validateEnv, warnIneffectiveVariables } from "../../lib/env/mod.ts";
import { createGraph } from "../../lib/graph/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { startProcessMetrics } from "../../lib/metrics/mod.ts";
import {
  createXdsServer,
  derivedRequestRate,
  derivedThrottle,
  MAX_RECEIVE,
  MAX_REQUESTS_PER_SECOND,
  MAX_STREAMS,
  PUSH_THROTTLE,
  type XdsServer,
} from "../../lib/serve/mod.ts";
import { transportInForce } from "../../lib/rpc/mod.ts";
import { createWhatIf } from "../../lib/whatif/mod.ts";
import {
  monitoringRoutes,
  observeConflicts,
  observeEngine,
  observeMesh,
  observePatches,
  readyRoute,
} from "../../lib/monitor/mod.ts";
import { openIntrospection, withProfiles } from "./introspection.ts";
import { startRpc, startWeb } from "./listeners.ts";
import type { DiscoveryOptions } from "./options.ts";
import { culpritsIn } from "./edited.ts";
import { checkSupported, INERT_FLAGS } from "./settings.ts";
import { ENABLE_ADMIN_ENDPOINTS, ENABLE_DEBUG_ON_HTTP, POD_NAME } from "./variables.ts";
import { type Core, startCore } from "./core.ts";

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
  const daemon = await startCore(options, stack, makeGraph);
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
  warnIneffectiveVariables(ineffectiveVariables("pilot-discovery"), warn);
  for (const note of notes) log.info(note);
  log.info("ready", { version: buildLine(), configDir: options.configDir });
  await aborted(AbortSignal.any([signal, stopping.signal]));
  log.info("stopping", { within: `${options.shutdownDurationMs} ms` });
  return 0;
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
  observeEngine(core.translation.mesh.graph);
  stack.use(observeMesh({ translation: core.translation, sessions: () => xds.sessions() }));
  // One for both listeners: rehearsals are made one at a time.
  const debugPages = debug(options, core, xds);
  if (options.monitoringAddr !== "") {
    const web = await startWeb({
      name: "monitoring",
      address: options.monitoringAddr,
      routes: [
        ...monitoringRoutes(),
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
    transport: transportInForce(),
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
