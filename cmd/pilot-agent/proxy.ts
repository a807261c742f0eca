/**
 * `pilot-agent proxy`: from flags to a running agent, until it ends.
 *
 * @module
 */
import {
  type Agent,
  type AgentPlan,
  type Loaded,
  type LoadFlags,
  loadSettings,
  planAgent,
  readPlatform,
  servedConfig,
  startAgent,
} from "../../lib/node/agent/mod.ts";
import { warnIneffective } from "../../lib/kit/cli/mod.ts";
import { envTexts, useEnvironment, warnIneffectiveVariables } from "../../lib/kit/env/mod.ts";
import { PROFILE_LIMITS, profileRoutes } from "../../lib/insight/introspect/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { nameTableRoute, startDns } from "./dns.ts";
import { type AgentIdentity, openIdentity } from "./identity.ts";
import type { ProxyOptions } from "./options.ts";
import { startTokenService } from "./tokens.ts";
import { openProbes } from "./probes.ts";
import { startWasm } from "./wasm.ts";

const log = scope("default");

/** Routes and limits that `--profiling` adds to the status server. */
const PROFILES = { routes: profileRoutes(), limits: PROFILE_LIMITS };

/** Flags without effect, with the reason. */
const INEFFECTIVE_FLAGS: Readonly<Record<string, string>> = {
  vklog: "there are no messages of an orchestrator's client to select",
};

/**
 * Runs an agent until `signal` asks it to end, or its proxy ends.
 *
 * @returns the exit status
 * @throws MeshError for settings that cannot be used, and `proxy-exited` when the proxy ended by
 * itself
 */
export async function proxy(options: ProxyOptions, signal: AbortSignal): Promise<number> {
  const flags = loadFlags(options);
  const environment = envTexts();
  const first = await loadSettings(flags, environment);
  // proxyMetadata sets variables of certificates and tokens too, which are read at each use.
  using _ = useEnvironment(new Map(Object.entries(first.settings.environ)));
  const { loaded, plan, identity } = await prepare({ flags, environment, first }, signal);
  const warn: typeof log.warn = (message, fields) => log.warn(message, fields);
  warnIneffective(options.given, INEFFECTIVE_FLAGS, warn);
  for (const warning of loaded.warnings) log.warn(warning);
  warnIneffectiveVariables(loaded.ineffectiveVariables, warn);
  for (const [field, reason] of plan.ineffective) {
    log.warn("this field of the proxy configuration has no effect", { field, reason });
  }
  for (const [setting, reason] of plan.unread) {
    log.warn("this setting cannot be read and is ignored", { setting, reason });
  }
  if (options.profiling && plan.ports.status === 0) {
    log.warn("profiles are served at the status port, which is switched off", {
      flag: "--profiling",
    });
  }
  log.info("starting", { node: plan.node.id, daemon: plan.target });
  const probes = openProbes(loaded.settings);
  const stopTokens = await startTokenService(options);
  const dns = await startDns(loaded.settings, plan);
  const wasm = await startWasm(plan, identity?.tls);
  try {
    const { routes, limits } = options.profiling ? PROFILES : { routes: [], limits: undefined };
    const agent = await startAgent(plan, {
      routes: [...routes, ...probes.routes, ...dns?.routes ?? [nameTableRoute(() => undefined)]],
      limits,
      subscriptions: [dns?.subscription, identity?.subscription].filter((one) => one !== undefined),
      converter: wasm?.converter,
      tls: identity?.tls,
      certificate: identity?.validity,
    });
    if (signal.aborted) agent.drain();
    else signal.addEventListener("abort", () => agent.drain(), { once: true });
    await untilEnd(agent, identity);
    return 0;
  } finally {
    await dns?.stop();
    await stopTokens();
    probes.stop();
    wasm?.stop();
    await identity?.stop();
  }
}

/** Waits for the end of the agent. If no certificate can be served, ends it and throws the reason. */
async function untilEnd(agent: Agent, identity: AgentIdentity | undefined): Promise<void> {
  try {
    await Promise.race([agent.done, identity?.opened.then(() => agent.done) ?? agent.done]);
  } catch (error) {
    agent.quit();
    await agent.done.catch(() => {});
    throw error;
  }
}

/**
 * Reads the settings; if some come from the daemon, reads them twice, because they contain the
 * daemon's address.
 */
async function prepare(
  { flags, environment, first: loaded }: Given,
  signal: AbortSignal,
): Promise<Prepared> {
  const asking = platformOf(loaded.settings);
  const bare = planAgent(loaded.settings);
  const identity = bare.secured ? await openIdentity(bare, signal) : undefined;
  const platform = await asking;
  const plan = planAgent({ ...loaded.settings, platform });
  // A proxy starts meanwhile. Programs of the pod that connect by themselves find their files.
  const waits = plan.env.servedConfig || plan.command === undefined;
  if (waits && identity && !await identity.opened) return { loaded, plan, identity: undefined };
  if (!plan.env.servedConfig) return { loaded, plan, identity };
  const served = await servedConfig(plan.target, plan.node, identity?.tls);
  if (served === undefined) return { loaded, plan, identity };
  const again = await loadSettings(flags, environment, served);
  return { loaded: again, plan: planAgent({ ...again.settings, platform }), identity };
}

/**
 * A workload that was declared to be on loopback shares its machine with others; its platform is
 * asked for only by name.
 */
function platformOf({ env, addresses }: Loaded["settings"]): ReturnType<typeof readPlatform> {
  const { cloudPlatform: name, cloudMetadata: declared } = env;
  if (addresses.loopbackOnly && !name && !declared) return Promise.resolve(undefined);
  return readPlatform({ name, declared });
}

/** Flags, the agent's own environment, and the settings that they give. */
interface Given {
  readonly flags: LoadFlags;
  readonly environment: Readonly<Record<string, string>>;
  readonly first: Loaded;
}

/** Settings, their plan, and the workload's certificate if the connection to the daemon needs it. */
interface Prepared {
  readonly loaded: Loaded;
  readonly plan: AgentPlan;
  readonly identity: AgentIdentity | undefined;
}

function loadFlags(options: ProxyOptions): LoadFlags {
  const given = <T>(name: string, value: T) => options.given.has(name) ? value : undefined;
  return {
    role: options.role,
    concurrency: given("concurrency", options.concurrency),
    domain: options.domain,
    outlierLogPath: options.outlierLogPath,
    proxyLogLevel: options.proxyLogLevel,
    proxyComponentLogLevel: options.proxyComponentLogLevel,
    logAsJson: options.logging.asJson ?? false,
    stsPort: options.stsPort,
    meshConfig: options.meshConfig,
    meshConfigGiven: options.given.has("meshConfig"),
    serviceCluster: given("serviceCluster", options.serviceCluster),
    templateFile: options.templateFile,
  };
}
