/**
 * The order of containers, which is the order in which they start.
 *
 * @module
 */
import { type Container, type Pod, PROXY_CONTAINER } from "./objects.ts";

/** Sets up the capture of traffic. */
const INIT = "mesh-init";
/** Checks that the network plugin set up the capture. */
const VALIDATION = "mesh-validation";

/**
 * Orders the containers. A native sidecar runs before the user's init containers, after the capture is
 * set up. Without one, the capture is set up last, so that init containers reach the network.
 *
 * @param holds true: the proxy starts before the application
 */
export function ordered(pod: Pod, holds: boolean): Pod {
  const spec = pod.spec!;
  const init = spec.initContainers ?? [];
  const isNative = init.some(({ name }) => name === PROXY_CONTAINER);
  const initContainers = isNative
    ? first(first(first(init, PROXY_CONTAINER), VALIDATION), INIT)
    : last(first(init, VALIDATION), INIT);
  const move = holds ? first : last;
  const { initContainers: _, ...rest } = spec;
  return {
    ...pod,
    spec: {
      ...rest,
      ...initContainers.length > 0 && { initContainers },
      containers: move(spec.containers, PROXY_CONTAINER),
    },
  };
}

function first(list: readonly Container[], name: string): Container[] {
  return [...list.filter((one) => one.name === name), ...list.filter((one) => one.name !== name)];
}

function last(list: readonly Container[], name: string): Container[] {
  return [...list.filter((one) => one.name !== name), ...list.filter((one) => one.name === name)];
}
