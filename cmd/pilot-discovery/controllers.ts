/**
 * The controllers of the daemon, each under its own leader election.
 *
 * @module
 */
import { messageOfProblem } from "../../lib/insight/analyze/mod.ts";
import {
  controlClusters,
  type Election,
  ENABLE_LEADER_ELECTION,
  type ExportSelection,
  EXTERNAL_MESHD,
  followDefaultRevision,
  joinElection,
  MESH_ENABLE_CONTROLLER_QUEUE_METRICS,
  PILOT_ANALYSIS_INTERVAL,
  PILOT_ENABLE_ANALYSIS,
  PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS,
  REVISION,
  type Rollout,
  runAddresses,
  runExports,
  runIngressStatus,
  runRegistration,
  runRootCertificates,
  runStatus,
  runUntaint,
  startProxyEvents,
  statusPace,
  type Term,
} from "../../lib/cluster/controllers/mod.ts";
import { exitMessage, type ProxyStates } from "../../lib/insight/monitor/mod.ts";
import { isClusterLocal } from "../../lib/mesh/derive/mod.ts";
import { selectorsMatch } from "../../lib/mesh/ingest/mod.ts";
import { declareQueueMetrics } from "../../lib/kit/metrics/mod.ts";
import type { OrchClient } from "../../lib/kit/orch/mod.ts";
import { isCustom, TABLED_KINDS, type TableKind } from "../../lib/mesh/schema/mod.ts";
import {
  ENABLE_MCS_AUTO_EXPORT,
  exportType,
  MESH_WATCH_NAMESPACE,
  PILOT_WORKLOAD_ENTRY_GRACE_PERIOD,
  resourceTypeOf,
} from "../../lib/mesh/sources/mod.ts";
import { ambientStatusControllers } from "./ambient_status.ts";
import type { DebugViews } from "./debug_views.ts";
import type { Engine } from "./engine.ts";
import { gatewayControllers } from "./gateways.ts";
import { gatewayStatusControllers } from "./gateway_status.ts";
import type { Identity } from "./identity.ts";
import { ingressSettings } from "./ingress.ts";
import type { Records } from "./records.ts";
import type { Settings } from "./settings.ts";
import type { Sources } from "./sources.ts";
import { POD_NAME } from "./variables.ts";
import { keepConfigurations } from "./webhooks.ts";

export interface ControllerInput {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly sources: Sources;
  readonly records: Records;
  readonly identity: Identity;
  readonly views: Pick<DebugViews, "messages">;
  readonly proxyStates: Pick<ProxyStates, "onExit">;
}

type Labels = Readonly<Record<string, string>>;

/** A controller with the name of its lease. */
interface Elected {
  readonly name: string;
  readonly run: (term: Term) => Promise<void>;
}

/**
 * Takes part in the elections of the controllers that the environment selects, until it is disposed.
 * Without an orchestrator there are none.
 */
export function startControllers(input: ControllerInput): AsyncDisposable {
  const parts: AsyncDisposable[] = [];
  if (MESH_ENABLE_CONTROLLER_QUEUE_METRICS.get()) declareQueueMetrics();
  const { sources: { client, tags }, settings: { options } } = input;
  if (client === undefined || tags === undefined) return together(parts);
  const process = `${POD_NAME.get() ?? Deno.hostname()}_${crypto.randomUUID().slice(0, 8)}`;
  const enabled = ENABLE_LEADER_ELECTION.get();
  const revision = followDefaultRevision(tags);
  const join = ({ name, run }: Elected, at: OrchClient, label?: string): Election =>
    joinElection({
      client: at,
      namespace: options.namespace,
      name,
      ...(label === undefined ? {} : { label }),
      identity: process,
      revision: REVISION.get() || "default",
      defaultRevision: () => revision.current(),
      enabled,
      run,
    });
  parts.push(...controllersOf(input).map((one) => join(one, client)));
  parts.push(...remoteControllers(input, join));
  const stop = new AbortController();
  const registration = registered({ client, signal: stop.signal }, input, process);
  const ended = async () => {
    stop.abort();
    await registration;
  };
  parts.push({ [Symbol.asyncDispose]: ended }, exitEvents(client, input, process));
  return {
    async [Symbol.asyncDispose]() {
      using _ = revision;
      await together(parts)[Symbol.asyncDispose]();
    },
  };
}

/** Runs controllers, and keeps webhook configurations, in the remote clusters that name this one. */
function remoteControllers(
  input: ControllerInput,
  join: (one: Elected, at: OrchClient, label: string) => Election,
): AsyncDisposable[] {
  const { settings: { options }, sources: { clusters }, identity: { tls } } = input;
  if (!EXTERNAL_MESHD.get() || clusters === undefined) return [];
  const start = (cluster: string, client: OrchClient): AsyncDisposable => {
    const elections = [...rootCertificates(input), ...exportedServices(input)]
      .map((one) => join(one, client, `${one.name}/${cluster}`));
    const hasWebhooks = tls !== undefined && options.httpsAddr !== "";
    return together([
      ...elections,
      ...hasWebhooks ? [keepConfigurations({ client, tls, options })] : [],
    ]);
  };
  return [controlClusters({
    clusters: {
      ids: () => clusters.clusters().map(({ cluster }) => cluster),
      client: (cluster) => clusters.client(cluster),
      subscribe: (listener) => clusters.subscribe(listener),
    },
    clusterId: options.clusterId,
    namespace: options.namespace,
    start,
  })];
}

/** Disposes several things at once. */
function together(parts: readonly AsyncDisposable[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(parts.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

function controllersOf(input: ControllerInput): Elected[] {
  return [
    ...rootRotation(input),
    ...rootCertificates(input),
    ...status(input),
    ...addresses(input),
    ...untaint(input),
    ...ingress(input),
    ...exportedServices(input),
    ...gatewayControllers(input),
    ...gatewayStatusControllers({
      engine: input.engine,
      rootNamespace: () => input.sources.mesh().rootNamespace || input.settings.options.namespace,
    }),
    ...ambientStatusControllers(input.engine),
  ];
}

function rootRotation({ identity: { rotateRoot } }: ControllerInput): Elected[] {
  if (rotateRoot === undefined) return [];
  return [{ name: "mesh-root-rotation-election", run: ({ signal }) => rotateRoot(signal) }];
}

function rootCertificates({ sources, identity: { authority } }: ControllerInput): Elected[] {
  if (authority === undefined) return [];
  const roots = {
    current: () => authority.current().bundle.pem,
    onChange: (changed: () => void) => authority.onChange(changed),
  };
  const selection = {
    selects: (name: string, labels: Labels) =>
      selectorsMatch(sources.mesh().discoverySelectors, name, () => labels),
    onChange: (changed: () => void) => sources.onMesh(changed),
  };
  return [{
    name: "mesh-namespace-controller-election",
    run: (term) => runRootCertificates(term, { roots, selection }),
  }];
}

function status({ sources, records: { receipts }, views }: ControllerInput): Elected[] {
  if (!PILOT_ENABLE_ANALYSIS.get()) return [];
  const kinds = Object.values(TABLED_KINDS).filter(isCustom);
  const messages = () => [
    ...views.messages(),
    ...sources.problems().map((one) => messageOfProblem(one, true)),
  ];
  const rollout = (kind: string, namespace: string, name: string): Rollout | undefined => {
    const sessions = receipts.of(kind, namespace, name)[0]?.sessions;
    return sessions === undefined || sessions.concerned === 0 ? undefined : sessions;
  };
  return [{
    name: "mesh-analyze-leader",
    run: (term) =>
      runStatus(term, {
        types: kinds.map(resourceTypeOf),
        messages,
        rollout,
        everyMs: PILOT_ANALYSIS_INTERVAL.get(),
        pace: statusPace(),
      }),
  }];
}

/** One list, so that two of them are the same. */
const NO_ADDRESSES: readonly string[] = [];

function addresses({ settings, engine: { graph, pipeline } }: ControllerInput): Elected[] {
  if (!settings.pipeline.features.autoAllocateAddresses) return [];
  const { autoAddresses } = pipeline.mesh;
  return [{
    name: "mesh-ip-autoallocate",
    run: (term) =>
      runAddresses(term, {
        type: typeOf("ServiceEntry"),
        addressesOf: (host) => graph.peek(autoAddresses, host) ?? NO_ADDRESSES,
        revision: () => graph.revision,
      }),
  }];
}

function untaint({ settings: { options } }: ControllerInput): Elected[] {
  if (!PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS.get()) return [];
  return [{
    name: "mesh-node-untaint",
    run: (term) => runUntaint(term, { namespace: options.cniNamespace }),
  }];
}

function ingress({ sources, settings: { options } }: ControllerInput): Elected[] {
  const settings = () => ingressSettings(sources.mesh(), options.domain);
  return [{ name: "mesh-leader", run: (term) => runIngressStatus(term, { settings }) }];
}

function exportedServices({ sources, settings: { options } }: ControllerInput): Elected[] {
  if (!ENABLE_MCS_AUTO_EXPORT.get()) return [];
  const { domain } = options;
  const selection: ExportSelection = {
    selects({ namespace, name }, labels) {
      const { serviceSettings, discoverySelectors, rootNamespace } = sources.mesh();
      return !isClusterLocal(serviceSettings, domain, `${name}.${namespace}.svc.${domain}`) &&
        (namespace === rootNamespace ||
          selectorsMatch(discoverySelectors, namespace, () => labels));
    },
    onChange: (changed) => sources.onMesh(changed),
  };
  return [{
    name: "mesh-serviceexport-controller-election",
    run: (term) =>
      runExports(term, {
        type: exportType(),
        selection,
        namespace: MESH_WATCH_NAMESPACE.get() ?? "",
      }),
  }];
}

/** Each daemon writes its own registrations: no leader is needed. */
async function registered(
  term: Term,
  { sources: { registration }, settings: { options } }: ControllerInput,
  instance: string,
): Promise<void> {
  if (registration.observers.length === 0) return;
  await runRegistration(term, {
    type: typeOf("WorkloadEntry"),
    instance,
    graceMs: PILOT_WORKLOAD_ENTRY_GRACE_PERIOD.get(),
    maxAgeMs: options.keepaliveMaxServerConnectionAgeMs,
    namespace: options.namespace,
    registered: () => registration.entries(),
    onChange: (changed) => registration.onChange(changed),
  });
}

/** Each daemon writes the Events of the reports that reached it: no leader is needed. */
function exitEvents(
  client: OrchClient,
  { proxyStates, settings: { options } }: ControllerInput,
  instance: string,
): AsyncDisposable {
  const stop = new AbortController();
  const events = startProxyEvents({ client, instance, signal: stop.signal });
  const ignore = proxyStates.onExit(({ node, state: { exit } }) => {
    const isOwn = node.clusterId === undefined || node.clusterId === options.clusterId;
    if (exit === undefined || !isOwn) return;
    const { name, namespace } = node;
    events.exited({ name, namespace, message: exitMessage(exit) });
  });
  return {
    async [Symbol.asyncDispose]() {
      ignore();
      stop.abort();
      await events[Symbol.asyncDispose]();
    },
  };
}

function typeOf(kind: TableKind) {
  return resourceTypeOf(TABLED_KINDS[kind]);
}
