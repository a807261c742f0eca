/**
 * Bytes on the wire: xDS requests (`DiscoveryRequest`, `DeltaDiscoveryRequest`) decoded, responses
 * (`DiscoveryResponse`, `DeltaDiscoveryResponse`) encoded, the xDS node of a client, versions of
 * resources, initial resource versions of reconnecting clients, slices of responses, and caches of
 * shared bytes.
 *
 * @module
 */
export { type BatchCache, batchCache } from "./batch_cache.ts";
export { addResource, type Checksum, newChecksum, sameChecksum } from "./checksum.ts";
export { isEdsCluster } from "./eds_clusters.ts";
export type { HeldVersions } from "./held_versions.ts";
export { namesMemory } from "./name_memory.ts";
export { type NameListCache, nameListCache } from "./name_list_cache.ts";
export { parseNode } from "./node.ts";
export { decodeRequest, type EncodedNames, tooManyNames, type XdsRequest } from "./request.ts";
export { type ResponseEncoder, responseEncoder } from "./response.ts";
export { slicesOf } from "./slices.ts";
export { wireVersion } from "./wire_version.ts";
