/**
 * Keys of hosts.
 *
 * @module
 */
import type { HostKey } from "../../derive/mod.ts";
import { integer, type KeyCodec, keyOf, text } from "../../graph/mod.ts";

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** A key with the locality of the proxies. */
export type AtLocality<K> = K & {
  /** See `Localities.ofClass`. */
  readonly locality: string;
};

/** The codec of hosts as proxies of a locality see them. */
export const localHostKeys: KeyCodec<AtLocality<HostKey>> = keyOf<AtLocality<HostKey>>({
  namespace: text,
  host: text,
  locality: text,
});

/** The codec of {@link HostPort}. */
export const hostPorts: KeyCodec<HostPort> = keyOf<HostPort>({ port: integer, host: text });
