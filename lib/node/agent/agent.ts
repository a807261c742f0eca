/**
 * A running agent: status server, relay and proxy, from start to end.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { MeshError } from "../../kit/base/mod.ts";
import { openListener } from "../../kit/cli/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import type { ProxyExit } from "../../mesh/model/mod.ts";
import { startWeb, type WebOptions } from "../../kit/web/mod.ts";
import { type Admin, adminApi } from "./admin.ts";
import { type Drain, drainOf } from "./drain.ts";
import { startHealth } from "./health.ts";
import { startupSeconds } from "./metrics.ts";
import { grpcBootstrapOf } from "./grpc_bootstrap.ts";
import type { AgentPlan } from "./plan.ts";
import { type ProxyProcess, startProxy } from "./process.ts";
import { type Readiness, readinessOf, type Start, startReadiness } from "./readiness.ts";
import { type RelayOptions, startRelay } from "./relay.ts";
import { watchDaemon } from "./watch.ts";
import type { ResourceConverter } from "./convert.ts";
import type { AgentSubscription } from "./intercept.ts";
import { openSaved, type SavedConfiguration } from "./saved/saved.ts";
import { sendReport } from "./state/last_report.ts";
import { trackState, type Validity } from "./state/tracker.ts";
import { statusRoutes } from "./status.ts";
import { openTap, type Tap } from "./tap/tap.ts";

/** A running agent. */
export interface Agent {
  /**
   * Resolves when the agent ended on request; rejects with `MeshError` `proxy-exited` when the
   * proxy exited by itself.
   */
  readonly done: Promise<void>;
  /** Drains connections, then ends the proxy and the agent. */
  drain(): void;
  /** Ends the proxy and the agent at once. */
  quit(): void;
}

/** Time for the proxy to exit on request, ms. */
const STOP_MS = 5000;
/** Time for pending responses of the status server when the agent ends, ms. */
const STATUS_GRACE_MS = 1000;
const STATUS_REMEDY =
  "It comes from statusPort of the proxy configuration, or DATAPROXY_STATUS_PORT.";

/** The setting of the folder of the agent's files. */
const CONFIG_PATH = "configPath of the proxy configuration";

/** The saved configuration, in the folder of the agent's files. */
const SAVED_FILE = "saved-config";
/** Socket of the gRPC side of the debug tap, in the folder of the agent's files. */
const TAP_SOCKET = "TAP";

const log = scope("default");

/** Parts of an agent that its program brings. */
export interface AgentParts {
  /** Additional routes of the status server. */
  readonly routes?: WebOptions["routes"];
  readonly limits?: WebOptions["limits"];
  /** Resources that the agent itself subscribes to at the daemon, one for each type. */
  readonly subscriptions?: readonly AgentSubscription[];
  /** Resources that the agent converts for the proxy. */
  readonly converter?: ResourceConverter;
  /** TLS towards the daemon; default: none. */
  readonly tls?: RelayOptions["tls"];
  /** Validity of the workload's certificate; default: the agent has none. */
  readonly certificate?: () => Validity | undefined;
}

/**
 * Starts an agent.
 *
 * @throws MeshError if a port or the socket is in use, a file cannot be written, or the proxy's
 * program cannot be started; everything that was started is stopped again
 */
export async function startAgent(plan: AgentPlan, parts: AgentParts = {}): Promise<Agent> {
  const { subscriptions = [], converter, tls } = parts;
  const draining = new AbortController();
  const quitting = new AbortController();
  const quit = () => quitting.abort();
  const admin = adminApi(plan.admin);
  const { readinessProbe, registers, address } = plan.health;
  const health = readinessProbe || registers ? startHealth(readinessProbe, address) : undefined;
  const drain = drainOf(admin, plan.drain, () => {
    health?.drain();
    tracker.draining();
  });
  const start = startReadiness();
  const ready = readiness(plan, admin, () => drain.started, start);
  const tracker = trackState({ admin, readiness: ready, certificate: parts.certificate });
  const resources = new AsyncDisposableStack();
  resources.defer(() => health?.stop());
  resources.defer(() => tracker.stop());
  try {
    await makeFolder(plan.configPath);
    if (plan.ports.status > 0) {
      const routes = statusRoutes({
        readiness: ready,
        scrape: plan.scrape,
        metricsLocalOnly: plan.env.metricsLocalOnly,
        quit,
        drain: () => void drain.start(),
      });
      const address = plan.statusAddress;
      const server = await openListener(
        { by: "the status port", address, remedy: STATUS_REMEDY },
        () =>
          startWeb({
            name: "status",
            address,
            routes: [...routes, ...parts.routes ?? []],
            limits: parts.limits,
          }),
      );
      resources.defer(() => server.stop(STATUS_GRACE_MS));
    }
    const saved = await savedOf(plan);
    if (saved) resources.defer(() => saved.stop());
    const relay = await startRelay({
      ...relayOptions(plan),
      node: plan.node.id,
      subscriptions,
      converter,
      tls,
      reports: [...health ? [health] : [], tracker],
      saved,
    });
    resources.defer(() => relay.stop());
    const tap = await tapOf(plan, tls);
    if (tap) resources.defer(() => tap.stop());
    if (plan.command === undefined && subscriptions.length > 0) {
      resources.use(watch(plan, subscriptions, tls));
    }
    await writeGrpcBootstrap(plan);
    start.end();
    const proxy = await launch(plan);
    if (proxy !== undefined) tracker.started();
    const exited = async (status: Deno.CommandStatus) => {
      tracker.exited(await exitOf(status, proxy));
      const state = tracker.state();
      if (state !== undefined) {
        await sendReport({ target: plan.target, tls, node: plan.node }, state);
      }
    };
    const done = life(proxy, drain, {
      draining: draining.signal,
      quitting: quitting.signal,
      exited,
    })
      .finally(() => resources.disposeAsync());
    return { done, drain: () => draining.abort(), quit };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function makeFolder(path: string, setting = CONFIG_PATH): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true });
  } catch (cause) {
    throw new MeshError("agent-config-path", `the folder ${path} cannot be made`, {
      remedy: `Set ${setting} to a folder that may be written.`,
      cause,
    });
  }
}

/** Subscribes for an agent without a proxy, whose relay has no streams. */
function watch(
  plan: AgentPlan,
  subscriptions: readonly AgentSubscription[],
  tls: RelayOptions["tls"],
): AsyncDisposable {
  const ending = new AbortController();
  const { target, maxResponse, keepalive } = relayOptions(plan);
  const watching = watchDaemon(
    { target, tls, node: plan.node, subscriptions, maxResponse, keepalive },
    ending.signal,
  );
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await watching;
    },
  };
}

/** The saved configuration of the proxy, if it is switched on. */
async function savedOf(plan: AgentPlan): Promise<SavedConfiguration | undefined> {
  const { env, command, configPath, node } = plan;
  if (!env.savedConfig || command === undefined) return undefined;
  return await openSaved({
    file: `${configPath}/${SAVED_FILE}`,
    node: node.id,
    variant: env.deltaXds ? "delta" : "sotw",
  });
}

/** The debug tap, on the address family of the proxy's admin API. */
async function tapOf(plan: AgentPlan, tls: RelayOptions["tls"]): Promise<Tap | undefined> {
  const { env, target, node, configPath, admin } = plan;
  if (env.tapPort === undefined) return undefined;
  return await openTap({
    target,
    tls,
    node,
    port: env.tapPort,
    hostname: admin.startsWith("[") ? "::1" : "127.0.0.1",
    socket: `${configPath}/${TAP_SOCKET}`,
  });
}

function relayOptions({ env, socket, target }: AgentPlan) {
  return {
    socket,
    target,
    maxRequest: env.maxMessageBytes,
    maxResponse: env.maxResponseBytes,
    maxStreams: env.maxStreams,
    keepalive: { interval: env.keepaliveInterval, timeout: env.keepaliveTimeout },
  };
}

/** Without a proxy the agent is ready when it has started. */
function readiness(
  plan: AgentPlan,
  admin: Admin,
  draining: () => boolean,
  start: Start,
): Readiness {
  if (plan.command === undefined) return start;
  const started = performance.now();
  return readinessOf(admin, draining, () => {
    startupSeconds.set((performance.now() - started) / 1000);
  });
}

async function launch({ command, bootstrap, bootstrapFile }: AgentPlan) {
  if (command === undefined) {
    log.warn("running without a proxy, as DISABLE_DATAPROXY says");
    return undefined;
  }
  await writeWhole(bootstrapFile, bootstrap);
  return startProxy(command);
}

/** Programs of the pod run as other users than the agent: they may read the file and connect. */
async function writeGrpcBootstrap({ node, socket, grpcBootstrap }: AgentPlan): Promise<void> {
  if (grpcBootstrap === undefined) return;
  const { file, certificates } = grpcBootstrap;
  const content = grpcBootstrapOf({
    node,
    xdsSocket: resolve(socket),
    certificates: certificates && resolve(certificates),
  });
  await makeFolder(dirname(file), "GRPC_XDS_BOOTSTRAP");
  await writeWhole(file, content, "GRPC_XDS_BOOTSTRAP");
  await Deno.chmod(file, 0o644);
  await Deno.chmod(socket, 0o666);
}

/**
 * The file may have credentials, so only its owner may read it; the rename makes the write atomic.
 */
async function writeWhole(file: string, text: string, setting = CONFIG_PATH): Promise<void> {
  const next = `${file}.next`;
  try {
    await Deno.remove(next).catch(() => {});
    await Deno.writeTextFile(next, text, { mode: 0o600 });
    await Deno.rename(next, file);
  } catch (cause) {
    throw new MeshError("agent-bootstrap", `the bootstrap file ${file} cannot be written`, {
      remedy: `Set ${setting} to a folder that may be written.`,
      cause,
    });
  }
}

/** Signals that end a proxy, and the function that hears of an end that nobody asked for. */
interface Ending {
  readonly draining: AbortSignal;
  readonly quitting: AbortSignal;
  /** Called when the proxy exited by itself; the agent ends after it. */
  exited(status: Deno.CommandStatus): Promise<void>;
}

/** Runs until the proxy exits by itself or the agent is stopped. */
async function life(
  proxy: ProxyProcess | undefined,
  drain: Drain,
  { draining, quitting, exited }: Ending,
): Promise<void> {
  const asked = Promise.race([aborted(draining), aborted(quitting)]);
  if (proxy === undefined) return await asked;
  await Promise.race([proxy.exited, asked]);
  if (!draining.aborted && !quitting.aborted) {
    const status = await proxy.exited;
    await exited(status);
    throw crash(status);
  }
  const gone = new AbortController();
  void proxy.exited.then(() => gone.abort());
  if (!quitting.aborted) await drain.finish(AbortSignal.any([quitting, gone.signal]));
  await proxy.stop(quitting.aborted ? 0 : STOP_MS);
  log.info("the proxy ended");
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function exitOf(
  { code, signal }: Deno.CommandStatus,
  proxy: ProxyProcess | undefined,
): Promise<ProxyExit> {
  const lines = await proxy?.lastLines() ?? [];
  return { code, ...signal !== null && { signal }, lines };
}

function crash(status: Deno.CommandStatus): MeshError {
  const how = status.signal ? `by ${status.signal}` : `with exit status ${status.code}`;
  return new MeshError("proxy-exited", `the proxy ended ${how}`, {
    remedy: "Read the proxy's log; a refused bootstrap file and a port in use are the " +
      "common reasons.",
  });
}
