/**
 * User and group of the proxy on the platform OpenShift, where each namespace has ranges of its own.
 *
 * @module
 */
import { OVERRIDES, parsedOverrides } from "./containers.ts";
import {
  allContainers,
  annotationsOf,
  type Container,
  type Json,
  type Pod,
  PROXY_CONTAINER,
} from "./objects.ts";
import { isMap } from "../../kit/template/mod.ts";

/** The platform, as the variable `PLATFORM` of the daemon names it. */
const OPENSHIFT = "openshift";

/** Reports if a cluster is of the platform: by the daemon's variable, or by the value `global.platform`. */
export function isOpenshift(platform: string | undefined, values: Json): boolean {
  const global = isMap(values.global) ? values.global : {};
  return platform === OPENSHIFT || global.platform === OPENSHIFT;
}

const UID_RANGE = "openshift.io/sa.scc.uid-range";
const GROUPS = "openshift.io/sa.scc.supplemental-groups";

/** User and group from a namespace; `undefined`: the namespace gives none. */
export interface NamespaceIds {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/**
 * The ids of the proxy: the end of the namespace's range of users, and the end of its first block of
 * groups, or of the range of users.
 */
export function namespaceIds(annotations: Readonly<Record<string, string>>): NamespaceIds {
  return {
    uid: blockEnd(annotations[UID_RANGE]),
    gid: blockEnd((annotations[GROUPS] ?? annotations[UID_RANGE])?.split(",")[0]),
  };
}

/** The last number of a block, `start/size` or `start-end`. */
function blockEnd(block: string | undefined): number | undefined {
  const [, start, kind, second] = /^\s*(\d{1,15})([/-])(\d{1,15})\s*$/.exec(block ?? "") ?? [];
  if (start === undefined) return undefined;
  return kind === "/" ? Number(start) + Number(second) - 1 : Number(second);
}

/**
 * The platform gives all containers one user. A proxy's container with the user of the application's was
 * given it by the platform, not by its author: user and group are removed, also from the record of the
 * author's values.
 */
export function withoutPlatformIds(pod: Pod): Pod {
  const proxies = allContainers(pod).filter(({ name }) => name === PROXY_CONTAINER);
  const application = pod.spec?.containers
    .filter(({ name }) => name !== PROXY_CONTAINER)
    .map(userOf).findLast((user) => user !== undefined);
  if (application === undefined || !proxies.some((one) => userOf(one) === application)) return pod;
  const change = (container: Container) =>
    container.name === PROXY_CONTAINER ? withoutIds(container) : container;
  const { containers, initContainers } = pod.spec!;
  const recorded = annotationsOf(pod)[OVERRIDES];
  return {
    ...pod,
    ...recorded !== undefined && {
      metadata: {
        ...pod.metadata,
        annotations: { ...annotationsOf(pod), [OVERRIDES]: changedRecord(recorded, change) },
      },
    },
    spec: {
      ...pod.spec!,
      containers: containers.map(change),
      ...initContainers && { initContainers: initContainers.map(change) },
    },
  };
}

function changedRecord(text: string, change: (container: Container) => Container): string {
  const found = parsedOverrides(text);
  if (found === undefined) return text;
  const { containers, initContainers } = found;
  return JSON.stringify({
    ...containers.length > 0 && { containers: containers.map(change) },
    ...initContainers.length > 0 && { initContainers: initContainers.map(change) },
  });
}

function userOf({ securityContext }: Container): unknown {
  return isMap(securityContext) ? securityContext.runAsUser : undefined;
}

function withoutIds(container: Container): Container {
  if (!isMap(container.securityContext)) return container;
  const { runAsUser: _, runAsGroup: __, ...rest } = container.securityContext as Json;
  return { ...container, securityContext: rest };
}
