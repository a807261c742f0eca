/**
 * Fixture of the configuration-directory cases: one service with two versions, and files that route
 * to one of them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Backend, eventually, spread } from "../../../scripts/harness/mod.ts";
import {
  documents,
  endpoint,
  manifest,
  serviceEntry,
  type Spec,
  to,
} from "../../support/manifest.ts";
import { sidecars, type World } from "../../support/world.ts";

/** A case; they run one after the other, and each leaves the directory as it found it. */
export interface DirectoryCase {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<void>;
}

export const HOST = "shop.test";
export const ROUTES = "routes.yaml";

/** Environment of the cases. */
export interface Bench {
  readonly world: World;
  readonly port: number;
  /** Waits until the requests of every proxy are answered by exactly these: versions, or statuses. */
  readonly answered: (...by: string[]) => Promise<void>;
  /** Asserts that they are answered so now. */
  readonly still: (...by: string[]) => Promise<void>;
}

/** A file that routes everything to a version. */
export function routesTo(version: string, more: Spec = {}): string {
  return manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, version, more)] });
}

/** All files but the routes. */
export function baseFiles(port: number, v1: Backend, v2: Backend): Record<string, string> {
  const http = { number: port, protocol: "HTTP" };
  const versions = [v1, v2].map((b) => endpoint(b.port, { version: b.name }));
  return {
    "sidecars.yaml": sidecars([http]),
    "service.yaml": documents(
      serviceEntry("shop", [HOST], http, versions),
      manifest("DestinationRule", "shop", {
        host: HOST,
        subsets: ["v1", "v2"].map((name) => ({ name, labels: { version: name } })),
      }),
    ),
  };
}

/** Makes the bench of a world. */
export function benchOf(world: World, port: number): Bench {
  /** Sorted responses: versions, or statuses. */
  const answering = async (address: string): Promise<string[]> =>
    Object.keys(await spread(20, `http://${address}:${port}/`, { host: HOST })).sort();
  return {
    world,
    port,
    answered: async (...by) => {
      for (const { address, transport } of world.testProxies) {
        await eventually(
          `answers by ${by} over ${transport}`,
          async () => (await answering(address)).join() === by.join(),
        );
      }
    },
    still: async (...by) => {
      for (const { address, transport } of world.testProxies) {
        assert.deepEqual(await answering(address), by, transport);
      }
    },
  };
}

/** Line, from 1, on which a text stands in another. */
export function lineOf(text: string, part: string): number {
  const at = text.split("\n").findIndex((line) => line.includes(part));
  assert.notEqual(at, -1, `${part} is not there`);
  return at + 1;
}
