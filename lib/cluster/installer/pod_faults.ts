/**
 * Why a pod does not become ready, from its state and its events. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly message?: string;
    readonly exitCode?: number;
    readonly signal?: number;
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** A pod with the fields that are read. */
export interface WaitingPod extends OrchObject {
  readonly spec?: {
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly initContainers?: readonly { readonly name: string; readonly image?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** An event with the fields that are read. */
export interface ObjectEvent extends OrchObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
}

/** Reasons of a container that waits because its image is not there. */
const IMAGE_REASONS: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
]);
/** Reasons of a container that cannot be created. */
const CREATE_REASONS: ReadonlySet<string> = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "StartError",
]);
/** Reasons of events that say why a pod without any container state does not start. */
const EVENT_REASONS: ReadonlySet<string> = new Set([
  "FailedMount",
  "FailedAttachVolume",
  "FailedCreatePodSandBox",
  "FailedCreate",
  "FailedScheduling",
]);

/** The fault of a pod with its remedy; `undefined` if none is known. */
export function podFault(pod: WaitingPod, events: readonly ObjectEvent[]): string | undefined {
  const { status = {}, metadata: { uid } } = pod;
  const own = events.filter(({ involvedObject }) => involvedObject?.uid === uid);
  if (status.phase === "Failed") {
    return `it failed: ${status.reason ?? ""} ${status.message ?? ""}`.trimEnd();
  }
  const unscheduled = status.conditions?.find((one) =>
    one.type === "PodScheduled" && one.status === "False"
  );
  if (unscheduled?.reason === "Unschedulable") {
    return `no node takes it: ${unscheduled.message ?? unscheduled.reason}`;
  }
  const containers = [...status.initContainerStatuses ?? [], ...status.containerStatuses ?? []];
  for (const container of containers) {
    const fault = containerFault(pod, container, own);
    if (fault !== undefined) return fault;
  }
  const event = newest(own.filter(({ reason = "" }) => EVENT_REASONS.has(reason)));
  const isStarting = containers.every(({ state }) => state?.terminated === undefined) &&
    !containers.some(({ state }) => state !== undefined && state.waiting === undefined);
  return isStarting && event !== undefined ? eventText(event) : undefined;
}

function containerFault(
  pod: WaitingPod,
  container: ContainerStatus,
  events: readonly ObjectEvent[],
): string | undefined {
  const { name, state, lastState, restartCount = 0 } = container;
  const { reason = "", message } = state?.waiting ?? {};
  if (IMAGE_REASONS.has(reason)) {
    const image = imageOf(pod, container);
    const event = newest(
      events.filter((one) => one.reason === "Failed" && one.message?.includes(image) === true),
    );
    const why = event?.message ?? message ?? reason;
    return `the image ${image} of container ${name} cannot be pulled: ${why}`;
  }
  if (CREATE_REASONS.has(reason)) {
    return `container ${name} cannot be made (${reason}): ${message ?? "no further message"}`;
  }
  const ended = state?.terminated ?? lastState?.terminated;
  const isLooping = reason === "CrashLoopBackOff" || restartCount > 0 && state?.terminated;
  if (!isLooping) return undefined;
  const how = ended?.signal ? `signal ${ended.signal}` : `status ${ended?.exitCode ?? "unknown"}`;
  const said = ended?.message?.trim() || (ended?.reason === "Error" ? "" : ended?.reason) || "";
  const { namespace, name: podName } = pod.metadata;
  return `container ${name} ends again and again with ${how}${said === "" ? "" : ` (${said})`}; ` +
    `see kubectl logs -n ${namespace} ${podName} -c ${name} --previous`;
}

/** The image as the pod asks for it; the status may have another form. */
function imageOf({ spec = {} }: WaitingPod, { name, image = "" }: ContainerStatus): string {
  const all = [...spec.initContainers ?? [], ...spec.containers ?? []];
  return all.find((one) => one.name === name)?.image ?? image;
}

/** The text of an event, with its reason. */
export function eventText({ reason = "", message = "" }: ObjectEvent): string {
  return `${reason}: ${message.trim()}`;
}

/** The newest of events. */
export function newest(events: readonly ObjectEvent[]): ObjectEvent | undefined {
  const timeOf = ({ lastTimestamp, eventTime, metadata }: ObjectEvent): string =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
  return [...events].sort((a, b) => timeOf(a) < timeOf(b) ? 1 : -1)[0];
}
