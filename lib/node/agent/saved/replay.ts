/**
 * Answers the requests of a proxy on a delta stream from a saved configuration, as the daemon answers
 * them. Resources that are not in it are answered as removed, so that the proxy does not wait.
 *
 * @module
 */
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  type Resource,
  ResourceSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { Configuration, SavedResource } from "./recording.ts";
import { CHILD_TYPES } from "./types.ts";

/** One stream. */
export interface Replay {
  read(message: Uint8Array): ReplayedRequest;
}

/** A request of the proxy. */
export interface ReplayedRequest {
  readonly typeUrl: string;
  /** The proxy has no resources of the type. */
  readonly isFresh: boolean;
  /** Reason why the proxy rejects a response. */
  readonly rejection: string | undefined;
  /** The responses to the request; none for one that only accepts or rejects. */
  answer(): Uint8Array[];
}

/** The replay of one xDS variant. */
export interface ReplayVariant {
  /** Creates the answers of a stream. */
  replay(configuration: Configuration): Replay;
  /** A response with the resource of one type that the agent itself uses. */
  agentResponse(typeUrl: string, saved: ReadonlyMap<string, SavedResource>): Uint8Array;
}

/** Replay of delta streams. */
export const DELTA_REPLAY: ReplayVariant = {
  replay(configuration) {
    const answer = answersOf(configuration);
    return {
      read(message) {
        const request = fromBinary(DeltaDiscoveryRequestSchema, message);
        const { typeUrl, initialResourceVersions, errorDetail } = request;
        return {
          typeUrl,
          isFresh: Object.keys(initialResourceVersions).length === 0,
          rejection: errorDetail?.message,
          answer: () => answer(request),
        };
      },
    };
  },
  agentResponse: (typeUrl, saved) =>
    response(typeUrl, "saved", { resources: savedResources(saved.values()), removed: [] }),
};

function answersOf(
  configuration: Configuration,
): (request: DeltaDiscoveryRequest) => Uint8Array[] {
  const begun = new Set<string>();
  const parents = new Map<string, Set<string>>();
  let count = 0;
  const nonce = () => `saved-${++count}`;
  const of = (type: string) => configuration.get(type) ?? new Map<string, SavedResource>();

  const children = (type: string, names: readonly string[]): Uint8Array[] => {
    if (names.length === 0) return [];
    const wanted = new Set(names);
    const found = [...of(type)].filter(([name]) => wanted.has(parentOf(name)));
    for (const [name] of found) wanted.delete(parentOf(name));
    return [response(type, nonce(), {
      resources: savedResources(found.map(([, resource]) => resource)),
      removed: [...wanted].map((name) => `${name}/`),
    })];
  };
  return ({ typeUrl, resourceNamesSubscribe, responseNonce }) => {
    const isFirst = !begun.has(typeUrl);
    begun.add(typeUrl);
    const parentType = CHILD_TYPES.get(typeUrl);
    if (parentType !== undefined && isFirst && resourceNamesSubscribe.length === 0) {
      return children(typeUrl, [...parents.get(parentType) ?? []]);
    }
    const isWildcard = resourceNamesSubscribe.includes("*") ||
      isFirst && resourceNamesSubscribe.length === 0 && responseNonce === "";
    const names = isWildcard ? [...of(typeUrl).keys()] : resourceNamesSubscribe;
    if (names.length === 0 && !isWildcard) return [];
    const found = names.filter((name) => of(typeUrl).get(name)?.bytes !== undefined);
    const sent = parents.get(typeUrl) ?? new Set();
    for (const name of found) sent.add(name);
    parents.set(typeUrl, sent);
    const answers = [response(typeUrl, nonce(), {
      resources: savedResources(found.map((name) => of(typeUrl).get(name)!)),
      removed: isWildcard ? [] : names.filter((name) => !found.includes(name)),
    })];
    for (const [child, parent] of CHILD_TYPES) {
      if (parent === typeUrl && begun.has(child)) answers.push(...children(child, found));
    }
    return answers;
  };
}

function parentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/"));
}

/** The resources that are kept, decoded. */
export function savedResources(saved: Iterable<SavedResource>): Resource[] {
  return [...saved].flatMap(({ bytes }) =>
    bytes === undefined ? [] : [fromBinary(ResourceSchema, bytes)]
  );
}

function response(
  typeUrl: string,
  nonce: string,
  { resources, removed }: { readonly resources: Resource[]; readonly removed: string[] },
): Uint8Array {
  return encode(DeltaDiscoveryResponseSchema, {
    typeUrl,
    nonce,
    resources,
    removedResources: removed,
    systemVersionInfo: "saved",
  });
}
