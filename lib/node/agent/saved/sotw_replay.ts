/**
 * Answers the requests of a proxy on a state-of-the-world stream from a saved configuration, as the
 * daemon answers them. The variant has no answer for a resource that does not exist, so names that are
 * not in the configuration are left out.
 *
 * @module
 */
import { xdsType } from "../../../mesh/model/mod.ts";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import {
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { Configuration, SavedResource } from "./recording.ts";
import { type ReplayVariant, savedResources } from "./replay.ts";

/** Name for all resources. */
const ALL = "*";
/** Version of all responses. The daemon sends everything on a new stream, whatever version is named. */
const VERSION = "saved";

/** Replay of state-of-the-world streams. */
export const SOTW_REPLAY: ReplayVariant = {
  replay(configuration) {
    const answer = answersOf(configuration);
    return {
      read(message) {
        const request = fromBinary(DiscoveryRequestSchema, message);
        const { typeUrl, versionInfo, errorDetail } = request;
        return {
          typeUrl,
          isFresh: versionInfo === "",
          rejection: errorDetail?.message,
          answer: () => answer(request),
        };
      },
    };
  },
  agentResponse: (typeUrl, saved) => response(typeUrl, VERSION, saved.values()),
};

function answersOf(configuration: Configuration): (request: DiscoveryRequest) => Uint8Array[] {
  const answered = new Map<string, ReadonlySet<string>>();
  let count = 0;
  return ({ typeUrl, resourceNames }) => {
    const saved = configuration.get(typeUrl) ?? new Map<string, SavedResource>();
    const before = answered.get(typeUrl);
    // A list that stays empty is a subscription to everything.
    const isWildcard = resourceNames.length === 0 && xdsType(typeUrl).wildcard;
    const names = new Set(isWildcard ? [ALL] : resourceNames);
    answered.set(typeUrl, names);
    const added = [...names].filter((name) => !before?.has(name));
    if (added.length === 0) return [];
    const found = names.has(ALL)
      ? [...saved.values()]
      : added.flatMap((name) => saved.get(name) ?? []).filter(({ bytes }) => bytes !== undefined);
    if (found.length === 0 && !names.has(ALL)) return [];
    return [response(typeUrl, `${VERSION}-${++count}`, found)];
  };
}

function response(typeUrl: string, nonce: string, saved: Iterable<SavedResource>): Uint8Array {
  const resources = savedResources(saved).flatMap(({ resource }) => resource ?? []);
  return encode(DiscoveryResponseSchema, { typeUrl, nonce, resources, versionInfo: VERSION });
}
