/**
 * The answer of the injection webhook.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import {
  decide,
  type InjectionConfig,
  injectPod,
  isOpenshift,
  jsonPatch,
  type Pod,
  workloadOf,
} from "../inject/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { AdmissionAnswer, AdmissionRequest } from "./admission.ts";
import { isPlainObject } from "./json.ts";
import { daemonVariable } from "./variables.ts";
import type { NativeSidecars } from "./native_sidecars.ts";
import {
  injectionFailures,
  injectionRequests,
  injectionSeconds,
  injectionSkips,
  injectionSuccesses,
} from "./metrics.ts";

const log = scope("default");

/** The part of a pod that ProxyConfig objects select by. */
export interface SelectedPod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Settings of injection in the daemon. */
export interface InjectionSettings {
  readonly config: () => InjectionConfig;
  readonly mesh: () => MeshConfig;
  /** The settings of ProxyConfig objects for a pod; fields that none of them has are unset. */
  readonly proxySettings: (pod: SelectedPod) => ProxyConfig;
  readonly revision: string;
  readonly nativeSidecars: NativeSidecars;
  readonly compliancePolicy: string;
  /** The variable `PLATFORM`; the value `global.platform` of the templates counts, too. */
  readonly platform: string;
  /** Annotations of a namespace; asked only where a platform keeps user ids in them. */
  readonly namespaceAnnotations: (name: string) => Promise<Readonly<Record<string, string>>>;
}

/** The refusal of an object that the daemon fails at. */
const INTERNAL =
  "the object cannot be processed: it has a form that the API server does not let pass, or the " +
  "daemon has a fault, which its log names";

/** Answers a request for injection. Faults of a pod or template refuse the pod with their sentence. */
export async function answerInjection(
  request: AdmissionRequest,
  variables: readonly (readonly [string, string])[],
  settings: InjectionSettings,
): Promise<AdmissionAnswer> {
  injectionRequests.inc();
  const begin = performance.now();
  const pod = request.object;
  if (!isPlainObject(pod) || !isPlainObject(pod.spec)) {
    injectionFailures.inc();
    return { allowed: false, message: "the object of the request is not a pod" };
  }
  const found = pod as Pod;
  const namespace = request.namespace || found.metadata?.namespace || "default";
  const config = settings.config();
  const decision = decide(found, namespace, config);
  const name = found.metadata?.name ?? found.metadata?.generateName ?? "";
  if (!decision.inject) {
    injectionSkips.inc();
    log.debug("a pod gets no proxy", { namespace, pod: name, reason: decision.reason });
    return { allowed: true };
  }
  try {
    const injected = injectPod(found, {
      config,
      mesh: settings.mesh(),
      settings: settings.proxySettings({ namespace, labels: found.metadata?.labels ?? {} }),
      revision: settings.revision,
      nativeSidecars: await settings.nativeSidecars(),
      compliancePolicy: settings.compliancePolicy,
      daemonVariable,
      platform: settings.platform,
      workload: workloadOf(found.metadata ?? {}, namespace),
      namespaceAnnotations: await annotationsOf(namespace, settings),
      variables,
    });
    injectionSuccesses.inc();
    injectionSeconds.observe((performance.now() - begin) / 1000);
    log.debug("a pod gets a proxy", { namespace, pod: name, reason: decision.reason });
    return { allowed: true, patch: jsonPatch(found, injected) };
  } catch (error) {
    injectionFailures.inc();
    log.warn("a pod cannot be injected", { namespace, pod: name, reason: messageOf(error) });
    return { allowed: false, message: sentence(error) };
  }
}

async function annotationsOf(namespace: string, settings: InjectionSettings) {
  const { platform } = settings;
  return !isOpenshift(platform, settings.config().values)
    ? {}
    : await settings.namespaceAnnotations(namespace);
}

/** The message of an error with its remedy. Texts of the runtime are for the log alone. */
export function sentence(error: unknown): string {
  if (!(error instanceof MeshError)) return INTERNAL;
  const { message, remedy } = error;
  return remedy === undefined ? message : `${message}. ${remedy}`;
}
