/**
 * Random edits of a configuration directory, as people and programs make them.
 *
 * @module
 */
import {
  destinationRule,
  hostOf,
  namespaceOf,
  NAMESPACES,
  serviceEntry,
  virtualService,
} from "../../tests/support/corpus.ts";

/** A seeded random number generator (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The target of edits. */
export interface Target {
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
}

/** Makes random edits. */
export interface Editor {
  /** Makes one edit and returns its description. */
  edit(): Promise<string>;
  /**
   * Repairs all broken files: the running daemon serves their last good version, which a new daemon
   * has not seen.
   */
  repair(): Promise<void>;
}

const BROKEN = "apiVersion: networking.mesh.io/v1\nkind: ServiceEntry\nspec: [\n";

/** The header of a document of kinds that are not in the corpus. */
function head(group: string, kind: string, name: string, namespace: string): string {
  return `apiVersion: ${group}.mesh.io/v1\nkind: ${kind}\n` +
    `metadata: {name: ${name}, namespace: ${namespace}}\n`;
}

/** An AuthorizationPolicy for a path of a workload. */
function authorization(i: number, path: number): string {
  return head("security", "AuthorizationPolicy", `soak-${i}`, namespaceOf(i)) +
    `spec: {action: DENY, rules: [{to: [{operation: {paths: ["/admin/${path}"]}}]}]}\n`;
}

/** A PeerAuthentication of a namespace. */
function peers(i: number, strict: boolean): string {
  return head("security", "PeerAuthentication", "soak", namespaceOf(i)) +
    `spec: {mtls: {mode: ${strict ? "STRICT" : "PERMISSIVE"}}}\n`;
}

/** A Sidecar resource of a namespace. */
function sidecar(i: number, other: number): string {
  return head("networking", "Sidecar", "soak", namespaceOf(i)) +
    `spec: {egress: [{hosts: ["./*", "${namespaceOf(other)}/*"]}]}\n`;
}

/** A rule with a missing authority file, which Envoy rejects. */
function badAuthorities(i: number): string {
  return head("networking", "DestinationRule", `bad-${i}`, namespaceOf(i)) +
    `spec: {host: ${
      hostOf(i)
    }, trafficPolicy: {tls: {mode: SIMPLE, caCertificates: /none/${i}.pem}}}\n`;
}

/** The mesh configuration with a setting that changes every cluster. */
export function meshConfig(timeout: number): string {
  return `connectTimeout: ${timeout}s\n`;
}

/** Creates an editor of a directory with the benchmarks' corpus. */
export function editorOf(
  target: Target,
  services: number,
  random: () => number,
  writeMesh: (text: string) => Promise<void>,
): Editor {
  const below = (limit: number): number => Math.floor(random() * limit);
  const extra = new Set<number>();
  const broken = new Set<number>();
  /** Files that are created and removed, each under one name. */
  const passing = new Set<string>();
  const toggle = async (file: string, text: () => string): Promise<void> => {
    if (passing.has(file) && random() < 0.5) {
      passing.delete(file);
      await target.remove(file);
    } else {
      passing.add(file);
      await target.write(file, text());
    }
  };
  const repair = async (): Promise<void> => {
    for (const i of broken) await target.write(`se-${i}.yaml`, serviceEntry(i));
    broken.clear();
  };
  const one: readonly (() => Promise<string>)[] = [
    async () => {
      const i = below(services);
      broken.delete(i);
      await target.write(`se-${i}.yaml`, serviceEntry(i, below(200)));
      return "an endpoint";
    },
    async () => {
      const i = below(services / 2) * 2;
      await target.write(`vs-${i}.yaml`, virtualService(i, below(101)));
      return "a route's weight";
    },
    async () => {
      const i = below(services / 4) * 4;
      const limit = 1 + below(500);
      const text = destinationRule(i).replace("maxConnections: 100", `maxConnections: ${limit}`);
      await target.write(`dr-${i}.yaml`, text);
      return "a rule";
    },
    async () => {
      const i = services + below(50);
      extra.add(i);
      await target.write(`se-${i}.yaml`, serviceEntry(i));
      return "a new service";
    },
    async () => {
      const [i] = extra;
      if (i === undefined) return "nothing";
      extra.delete(i);
      await target.remove(`se-${i}.yaml`);
      return "a service that goes";
    },
    async () => {
      const i = below(services);
      broken.add(i);
      await target.write(`se-${i}.yaml`, BROKEN);
      return "a broken file";
    },
    async () => {
      const i = below(50);
      await toggle(`ap-${i}.yaml`, () => authorization(i, below(10)));
      return "an access policy";
    },
    async () => {
      const i = below(NAMESPACES);
      await toggle(`pa-${i}.yaml`, () => peers(i, random() < 0.5));
      return "a namespace's mutual TLS";
    },
    async () => {
      const i = below(NAMESPACES);
      await toggle(`sc-${i}.yaml`, () => sidecar(i, below(NAMESPACES)));
      return "a Sidecar";
    },
    async () => {
      const i = 1 + below(20) * 4;
      await toggle(`bad-${i}.yaml`, () => badAuthorities(i));
      return "authorities that are not there";
    },
    async () => {
      if (random() < 0.8) return "nothing";
      await writeMesh(meshConfig(1 + below(20)));
      return "the mesh configuration";
    },
    async () => {
      await repair();
      return "all broken files repaired";
    },
  ];
  return {
    repair,
    async edit() {
      const edit = one[below(one.length)]!;
      if (random() >= 0.05) return await edit();
      for (let i = 0; i < 50; i++) await one[below(one.length)]!();
      return "fifty edits at once";
    },
  };
}
