/**
 * An API server that has the objects of manifests, for what reads them by a client.
 *
 * @module
 */
import {
  collectionPath,
  createFollowedTypes,
  type OrchClient,
  type OrchList,
  type OrchObject,
  type OrchRequest,
  type ResourceType,
} from "../../../kit/orch/mod.ts";

/** A client whose lists are given and never change; a type that is not given has no objects. */
export function clientOver(
  lists: readonly (readonly [type: ResourceType, items: readonly OrchObject[]])[],
): OrchClient {
  const byPath = new Map(lists.map(([type, items]) => [collectionPath(type), items]));
  const list = ({ path }: OrchRequest): OrchList<OrchObject> => ({
    metadata: { resourceVersion: "1" },
    items: byPath.get(path) ?? [],
  });
  return {
    access: { server: "", name: "manifests", namespace: "" },
    followed: createFollowedTypes(),
    text: (request) => Promise.resolve(JSON.stringify(list(request))),
    json: <T>(request: OrchRequest) => Promise.resolve(list(request) as T),
    stream: ({ signal }) => Promise.resolve(silence(signal)),
    renew: () => {},
    [Symbol.dispose]: () => {},
  };
}

/** A stream without content that ends with its signal. */
function silence(signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      const end = (): void => controller.error(signal?.reason);
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end, { once: true });
    },
  });
}
