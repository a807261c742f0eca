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
} from "../../support/corpus.ts";

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
  const state = new Corpus(target, services, random, writeMesh);
  // In the order in which seeds draw them.
  const [endpoint, added, removed, broken, repaired] = serviceEdits(state);
  const [weight, rule, authorities, settings] = ruleEdits(state);
  const [access, mutual, imports] = policyEdits(state);
  const one = [
    endpoint,
    weight,
    rule,
    added,
    removed,
    broken,
    access,
    mutual,
    imports,
    authorities,
    settings,
    repaired,
  ];
  return {
    repair: () => state.repair(),
    async edit() {
      const edit = one[state.below(one.length)]!;
      if (random() >= 0.05) return await edit!();
      for (let i = 0; i < 50; i++) await one[state.below(one.length)]!();
      return "fifty edits at once";
    },
  };
}

/** An edit; resolves to its name. */
type Edit = () => Promise<string>;

/** The files of the corpus that edits changed. */
class Corpus {
  /** Services that were added. */
  readonly extra = new Set<number>();
  readonly broken = new Set<number>();
  /** Files that are created and removed, each under one name. */
  readonly #passing = new Set<string>();

  constructor(
    readonly target: Target,
    readonly services: number,
    readonly random: () => number,
    readonly writeMesh: (text: string) => Promise<void>,
  ) {}

  /** A random integer from 0 up to a limit. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  async toggle(file: string, text: () => string): Promise<void> {
    if (this.#passing.has(file) && this.random() < 0.5) {
      this.#passing.delete(file);
      await this.target.remove(file);
    } else {
      this.#passing.add(file);
      await this.target.write(file, text());
    }
  }

  async repair(): Promise<void> {
    for (const i of this.broken) await this.target.write(`se-${i}.yaml`, serviceEntry(i));
    this.broken.clear();
  }
}

/** Edits of ServiceEntries. */
function serviceEdits(state: Corpus): readonly Edit[] {
  return [
    async () => {
      const i = state.below(state.services);
      state.broken.delete(i);
      await state.target.write(`se-${i}.yaml`, serviceEntry(i, state.below(200)));
      return "an endpoint";
    },
    async () => {
      const i = state.services + state.below(50);
      state.extra.add(i);
      await state.target.write(`se-${i}.yaml`, serviceEntry(i));
      return "a new service";
    },
    async () => {
      const [i] = state.extra;
      if (i === undefined) return "nothing";
      state.extra.delete(i);
      await state.target.remove(`se-${i}.yaml`);
      return "a service that goes";
    },
    async () => {
      const i = state.below(state.services);
      state.broken.add(i);
      await state.target.write(`se-${i}.yaml`, BROKEN);
      return "a broken file";
    },
    async () => {
      await state.repair();
      return "all broken files repaired";
    },
  ];
}

/** Edits of rules and of the mesh configuration. */
function ruleEdits(state: Corpus): readonly Edit[] {
  return [
    async () => {
      const i = state.below(state.services / 2) * 2;
      await state.target.write(`vs-${i}.yaml`, virtualService(i, state.below(101)));
      return "a route's weight";
    },
    async () => {
      const i = state.below(state.services / 4) * 4;
      const limit = 1 + state.below(500);
      const text = destinationRule(i).replace("maxConnections: 100", `maxConnections: ${limit}`);
      await state.target.write(`dr-${i}.yaml`, text);
      return "a rule";
    },
    async () => {
      const i = 1 + state.below(20) * 4;
      await state.toggle(`bad-${i}.yaml`, () => badAuthorities(i));
      return "authorities that are not there";
    },
    async () => {
      if (state.random() < 0.8) return "nothing";
      await state.writeMesh(meshConfig(1 + state.below(20)));
      return "the mesh configuration";
    },
  ];
}

/** Edits of policies and Sidecars. */
function policyEdits(state: Corpus): readonly Edit[] {
  return [
    async () => {
      const i = state.below(50);
      await state.toggle(`ap-${i}.yaml`, () => authorization(i, state.below(10)));
      return "an access policy";
    },
    async () => {
      const i = state.below(NAMESPACES);
      await state.toggle(`pa-${i}.yaml`, () => peers(i, state.random() < 0.5));
      return "a namespace's mutual TLS";
    },
    async () => {
      const i = state.below(NAMESPACES);
      await state.toggle(`sc-${i}.yaml`, () => sidecar(i, state.below(NAMESPACES)));
      return "a Sidecar";
    },
  ];
}
