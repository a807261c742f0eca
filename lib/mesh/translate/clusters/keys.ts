/**
 * Keys of clusters.
 *
 * @module
 */
import type { HostKey } from "../../derive/mod.ts";
import { type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import {
  type ClusterVariant,
  clusterVariants,
  type ContentKey,
  contentKeys,
} from "../context/mod.ts";
import type { AtLocality } from "../resources/mod.ts";

export interface ClusterKey extends HostKey {
  readonly variant: ClusterVariant;
}

/** The codec of {@link ClusterKey}. */
export const clusterKeys: KeyCodec<ClusterKey> = keyOf<ClusterKey>({
  variant: clusterVariants,
  namespace: text,
  host: text,
});

/** The codec of clusters as proxies of a locality see them. */
export const localClusterKeys: KeyCodec<AtLocality<ClusterKey>> = keyOf<AtLocality<ClusterKey>>({
  variant: clusterVariants,
  namespace: text,
  host: text,
  locality: text,
});

export interface ClusterContent {
  readonly variant: ClusterVariant;
  readonly content: ContentKey;
}

/** The codec of {@link ClusterContent}. */
export const clusterContents: KeyCodec<ClusterContent> = keyOf<ClusterContent>({
  variant: clusterVariants,
  content: contentKeys,
});
