/**
 * The admission webhooks of the daemon: their listener, the configuration of injection, and the webhook
 * configurations of the API server.
 *
 * @module
 */
import { MeshError, messageOf } from "../../lib/kit/base/mod.ts";
import { openListener } from "../../lib/kit/cli/mod.ts";
import { REVISION } from "../../lib/cluster/controllers/mod.ts";
import { defaultInjectionConfig } from "../../lib/cluster/inject/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { getObject, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { COMPLIANCE_POLICY } from "../../lib/kit/pki/mod.ts";
import {
  answerPath,
  ENABLE_NATIVE_SIDECARS,
  followInjectionConfig,
  INJECT_ENABLED,
  INJECTION_WEBHOOK_CONFIG_NAME,
  injectionConfigMap,
  type InjectionSettings,
  nativeSidecars,
  startHttps,
  syncConfigurations,
  tellMissedPods,
  VALIDATION_WEBHOOK_CONFIG_NAME,
} from "../../lib/cluster/webhooks/mod.ts";
import type { RevisionTags } from "../../lib/mesh/sources/mod.ts";
import { formatAddress } from "../../lib/kit/web/mod.ts";
import { type Identity, type SecuredTls, whenCertified } from "./identity.ts";
import type { DiscoveryOptions } from "./options.ts";
import type { Sources } from "./sources.ts";
import { PLATFORM } from "./variables.ts";

const log = scope("default");

const NO_TAGS: RevisionTags = new Map();

/** The listener is closed within this time, in milliseconds. */
const GRACE_MS = 1_000;

/** Input of {@link openWebhooks}. */
export interface WebhooksInput {
  readonly options: DiscoveryOptions;
  readonly sources: Pick<Sources, "client" | "mesh" | "tags">;
  readonly identity: Pick<Identity, "tls">;
  /** The settings of ProxyConfig objects for a pod. */
  readonly proxySettings: InjectionSettings["proxySettings"];
  /** The answer of `/ready`. */
  readonly isReady: () => boolean;
  /** Ends the daemon with an error of a listener that was opened later. */
  readonly fail: (error: unknown) => void;
}

/** The webhooks of a daemon. */
export interface Webhooks {
  /** Sentences for the log. */
  readonly notes: readonly string[];
  /** Templates and values of injection; unset where pods are not injected. */
  readonly injection?: () => unknown;
}

/**
 * Opens the listener of `--httpsAddr`. Without an orchestrator it is opened only if the flag is given.
 *
 * @returns sentences when there is no listener
 * @throws MeshError `no-certificate` if the flag is given and there is no certificate
 */
export async function openWebhooks(
  input: WebhooksInput,
  stack: AsyncDisposableStack,
): Promise<Webhooks> {
  const { options, sources: { client, mesh, tags }, identity: { tls }, proxySettings } = input;
  const { isReady, fail } = input;
  const { httpsAddr: address, given } = options;
  if (address === "") return { notes: [] };
  const isGiven = given.has("httpsAddr");
  if (client === undefined && !isGiven) {
    return without(address, "without an orchestrator nothing calls the webhooks");
  }
  if (tls === undefined) {
    if (isGiven) throw withoutCertificate(address);
    return without(address, "it has the certificate of --secureGRPCAddr, which is empty");
  }
  const revision = REVISION.get() || "default";
  const injection = INJECT_ENABLED.get()
    ? await openInjection(
      { client, mesh, proxySettings, namespace: options.namespace, revision },
      stack,
    )
    : undefined;
  await tags?.synced;
  const paths = {
    injection,
    revision,
    tags: () => tags?.current() ?? NO_TAGS,
    isReady,
  };
  await serve({ address, tls, fail, answer: (request) => answerPath(request, paths) }, stack);
  if (client !== undefined) {
    stack.use(keepConfigurations({ client, tls, options }));
    const { mutatingName } = configurationNames(revision, options.namespace);
    const rules = injection?.config;
    if (rules) stack.use(tellMissedPods({ client, revision, mutatingName, rules }));
  }
  return { notes: [], injection: injection && (() => shownInjection(injection)) };
}

interface Served {
  readonly address: string;
  readonly tls: SecuredTls;
  readonly answer: Parameters<typeof startHttps>[0]["answer"];
  readonly fail: (error: unknown) => void;
}

/** Opens the listener, or does it later when there is a certificate. */
async function serve(
  { address, tls, answer, fail }: Served,
  stack: AsyncDisposableStack,
): Promise<void> {
  let stop = () => Promise.resolve();
  let isEnding = false;
  stack.defer(() => {
    isEnding = true;
    return stop();
  });
  const remedy = "An empty --httpsAddr switches this listener off.";
  await whenCertified(tls, async (certificate) => {
    const server = await openListener(
      { by: "--httpsAddr", address, remedy },
      () => startHttps({ address, certificate, answer }),
    );
    stop = () => server.stop(GRACE_MS);
    if (isEnding) return await stop();
    tls.onChange(() => server.setCertificate(tls.current() ?? certificate));
    log.info("serving the webhooks", { address: formatAddress(server.address) });
  }, fail);
}

function without(address: string, reason: string): Webhooks {
  return { notes: [`no listener on ${address}: ${reason}`] };
}

/** The configuration of injection, for a debug page. */
function shownInjection({ config }: InjectionSettings): unknown {
  const { texts, templates: _, ...rest } = config();
  return { ...rest, templates: texts };
}

async function openInjection(
  { client, mesh, proxySettings, namespace, revision }: {
    readonly client: OrchClient | undefined;
    readonly mesh: Sources["mesh"];
    readonly proxySettings: InjectionSettings["proxySettings"];
    readonly namespace: string;
    readonly revision: string;
  },
  stack: AsyncDisposableStack,
): Promise<InjectionSettings> {
  const settings = {
    mesh,
    proxySettings,
    revision,
    compliancePolicy: COMPLIANCE_POLICY.get() ?? "",
    platform: PLATFORM.get(),
  };
  if (client === undefined) {
    const config = defaultInjectionConfig();
    return {
      ...settings,
      config: () => config,
      nativeSidecars: nativeSidecars(ENABLE_NATIVE_SIDECARS.get(), undefined),
      namespaceAnnotations: () => Promise.resolve({}),
    };
  }
  const followed = followInjectionConfig(client, { namespace, revision });
  stack.defer(() => followed.close());
  await followed.synced;
  return {
    ...settings,
    config: () => followed.current(),
    nativeSidecars: nativeSidecars(ENABLE_NATIVE_SIDECARS.get(), { client, ...followed }),
    async namespaceAnnotations(name) {
      try {
        const { metadata } = await getObject(client, types.NAMESPACE, { name });
        return metadata.annotations ?? {};
      } catch (error) {
        log.warn("the annotations of a namespace cannot be read", {
          namespace: name,
          reason: messageOf(error),
        });
        return {};
      }
    },
  };
}

/** Keeps the webhook configurations of the daemon's revision in one cluster. */
export function keepConfigurations({ client, tls, options }: {
  readonly client: OrchClient;
  readonly tls: SecuredTls;
  readonly options: DiscoveryOptions;
}): AsyncDisposable {
  const revision = REVISION.get() || "default";
  const sync = syncConfigurations({
    client,
    revision,
    namespace: options.namespace,
    ...configurationNames(revision, options.namespace),
    bundle: () => tls.clientCa(),
    onBundle: (changed) => tls.onChange(changed),
  });
  return { [Symbol.asyncDispose]: () => sync.close() };
}

/** The names that the variables give; without them, those of an installation of the revision. */
export function configurationNames(
  revision: string,
  namespace: string,
): { readonly mutatingName: string; readonly validatingName: string } {
  const isNamed = revision !== "default";
  const mutatingName = isNamed && !INJECTION_WEBHOOK_CONFIG_NAME.isSet()
    ? injectionConfigMap(revision)
    : INJECTION_WEBHOOK_CONFIG_NAME.get();
  const validatingName = isNamed && !VALIDATION_WEBHOOK_CONFIG_NAME.isSet()
    ? `mesh-validator-${revision}-${namespace}`
    : VALIDATION_WEBHOOK_CONFIG_NAME.get();
  return { mutatingName: INJECT_ENABLED.get() ? mutatingName : "", validatingName };
}

function withoutCertificate(address: string): MeshError {
  return new MeshError(
    "no-certificate",
    `--httpsAddr=${address}: there is no certificate for this listener`,
    {
      remedy: "Give --secureGRPCAddr an address: the listeners share their certificate. " +
        "Or give an empty --httpsAddr.",
    },
  );
}
