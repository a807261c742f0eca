/**
 * A mesh in ambient mode behind a discovery server, and a node proxy whose messages a test writes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type ConfigObject, objectKey, rowOfObject, XDS_TYPES } from "../../lib/mesh/model/mod.ts";
import type { TableKind } from "../../lib/mesh/schema/mod.ts";
import { podOf, serviceOf } from "./ambient_rows.ts";
import { world } from "./discovery.ts";
import type { Store } from "./resource_store.ts";
import { testMeshConfig } from "./mesh_fixture.ts";
import { featuresWith, startTranslation } from "./translation_fixture.ts";

/** Names that a response sent and removed, sorted. */
export interface Received {
  readonly sent: readonly string[];
  readonly removed: readonly string[];
}

/** The mesh and the client. */
export interface OnDemand extends AsyncDisposable {
  /** Subscribes to names of addresses; the first call opens the stream. */
  subscribe(...names: readonly string[]): void;
  unsubscribe(...names: readonly string[]): void;
  /** Opens a stream that subscribes to nothing, as node proxies do that ask on demand. */
  begin(): void;
  /**
   * Opens another stream with the versions that the client holds, and with the wildcard; `onDemand`: without
   * it.
   */
  reconnect(versions: Readonly<Record<string, string>>, onDemand?: boolean): void;
  setPod(name: string, address: string, ready?: boolean): void;
  removePod(name: string): void;
  setService(): void;
  next(): Promise<Received>;
  /** Asserts that nothing is pending. */
  quiet(): Promise<void>;
  /** Versions of all that was sent and not removed. */
  versions(): Readonly<Record<string, string>>;
}

const { url } = XDS_TYPES.address;

/** Starts the server. */
export async function ambientLaw(
  { node, ip = "192.0.2.1" }: { readonly node?: string; readonly ip?: string } = {},
): Promise<OnDemand> {
  const bench = startTranslation(testMeshConfig(), featuresWith({ PILOT_ENABLE_AMBIENT: "true" }));
  const { source } = bench.translation;
  const server = await world([], undefined, { store: { source } as Store });
  const connect = () =>
    server.delta({
      role: "ztunnel",
      ip,
      ...(node === undefined ? {} : { metadata: { NODE_NAME: node } }),
    });
  let client = connect();
  const versions = new Map<string, string>();
  const put = (object: ConfigObject, isRemoved = false): void => {
    const { table, key } = rowOfObject({ table: object.meta.kind, key: objectKey(object.meta) });
    const change = { kind: table as TableKind, key, object: isRemoved ? undefined : object };
    bench.apply({ objects: [change] });
  };
  return {
    subscribe: (...names) => client.send({ typeUrl: url, resourceNamesSubscribe: [...names] }),
    unsubscribe: (...names) => client.send({ typeUrl: url, resourceNamesUnsubscribe: [...names] }),
    begin: () =>
      client.send({
        typeUrl: url,
        resourceNamesSubscribe: ["*"],
        resourceNamesUnsubscribe: ["*"],
      }),
    reconnect: (held, onDemand = false) => {
      client.close();
      client = connect();
      client.send({
        typeUrl: url,
        resourceNamesSubscribe: ["*"],
        ...(onDemand ? { resourceNamesUnsubscribe: ["*"] } : {}),
        initialResourceVersions: { ...held },
      });
    },
    setPod: (name, address, ready = true) => put(podOf(name, { address, ready })),
    removePod: (name) => put(podOf(name), true),
    setService: () => put(serviceOf("web")),
    next: async () => {
      const { resources, removedResources } = await client.take();
      for (const { name, version } of resources) versions.set(name, version);
      for (const name of removedResources) versions.delete(name);
      return {
        sent: resources.map(({ name }) => name).sort(),
        removed: [...removedResources].sort(),
      };
    },
    quiet: async () => assert.deepEqual(await client.quiet(), []),
    versions: () => Object.fromEntries(versions),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
