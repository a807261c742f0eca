/**
 * The documents of Ingress objects, kept up to date: a change translates only the documents that it
 * concerns. Pure.
 *
 * @module
 */
import { objectKey } from "../../../model/mod.ts";
import type { Ingress, IngressClass } from "./api.ts";
import {
  gatewayOf,
  hosted,
  type HostedIngress,
  type IngressDocument,
  type IngressReads,
  isOurs,
  portedServices,
  virtualServiceOf,
} from "./translate.ts";

/** The surroundings of Ingress objects from which documents are made, too. */
export interface IngressSurroundings extends IngressReads {
  readonly classes: readonly IngressClass[];
}

/** Documents that were translated, by what they stand for; `undefined`: there is none any more. */
export type Translated = ReadonlyMap<string, IngressDocument | undefined>;

/** The documents of a set of Ingress objects. */
export interface IngressDocuments {
  /** Adds or replaces an Ingress. */
  set(ingress: Ingress): void;
  /** Removes an Ingress by `namespace/name`. */
  remove(key: string): void;
  /** Marks what names an IngressClass. */
  changedClass(name: string): void;
  /** Marks what names a port of a Service, `namespace/name`. */
  changedService(key: string): void;
  /** Marks everything. */
  changedSettings(): void;
  /** Translates what is marked. */
  translate(surroundings: IngressSurroundings): Translated;
}

/** Starts empty. */
export function createIngressDocuments(): IngressDocuments {
  return new Documents();
}

class Documents implements IngressDocuments {
  readonly #all = new Map<string, Ingress>();
  /** Those that are for the mesh. */
  readonly #ours = new Map<string, HostedIngress>();
  readonly #byHost = groups();
  readonly #byService = groups();
  readonly #byClass = groups();
  readonly #changed = new Set<string>();
  readonly #hosts = new Set<string>();

  set(ingress: Ingress): void {
    const key = keyOf(ingress);
    this.#forget(key);
    this.#all.set(key, ingress);
    this.#byClass.add(classOf(ingress), key);
  }

  remove(key: string): void {
    this.#forget(key);
    this.#all.delete(key);
  }

  changedClass(name: string): void {
    for (const key of this.#byClass.of(name)) this.#changed.add(key);
  }

  changedService(service: string): void {
    for (const key of this.#byService.of(service)) {
      for (const host of this.#ours.get(key)!.hosts.keys()) this.#hosts.add(host);
    }
  }

  changedSettings(): void {
    for (const key of [...this.#all.keys(), ...this.#ours.keys()]) this.#changed.add(key);
  }

  translate(surroundings: IngressSurroundings): Translated {
    const { classes, settings } = surroundings;
    const translated = new Map<string, IngressDocument | undefined>();
    for (const key of this.#changed) {
      this.#leave(key);
      const ingress = this.#all.get(key);
      const isUsed = ingress !== undefined && isOurs(ingress, classes, settings);
      if (isUsed) this.#enter(key, ingress);
      translated.set(`Ingress/${key}`, isUsed ? gatewayOf(ingress, settings) : undefined);
    }
    for (const host of this.#hosts) {
      const named = [...this.#byHost.of(host)].map((key) => this.#ours.get(key)!);
      translated.set(`host/${host}`, virtualServiceOf(surroundings, host, named));
    }
    this.#changed.clear();
    this.#hosts.clear();
    return translated;
  }

  #forget(key: string): void {
    this.#byClass.remove(classOf(this.#all.get(key)), key);
    this.#changed.add(key);
  }

  #leave(key: string): void {
    const left = this.#ours.get(key);
    if (left === undefined) return;
    this.#ours.delete(key);
    for (const host of left.hosts.keys()) {
      this.#byHost.remove(host, key);
      this.#hosts.add(host);
    }
    for (const service of portedServices(left.ingress)) this.#byService.remove(service, key);
  }

  #enter(key: string, ingress: Ingress): void {
    const entered = hosted(ingress);
    this.#ours.set(key, entered);
    for (const host of entered.hosts.keys()) {
      this.#byHost.add(host, key);
      this.#hosts.add(host);
    }
    for (const service of portedServices(ingress)) this.#byService.add(service, key);
  }
}

function keyOf({ metadata: { namespace = "", name } }: Ingress): string {
  return objectKey({ namespace, name });
}

function classOf(ingress: Ingress | undefined): string {
  return ingress?.spec?.ingressClassName ?? "";
}

/** Keys of Ingress objects by a name. */
interface Groups {
  add(name: string, key: string): void;
  remove(name: string, key: string): void;
  of(name: string): ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

function groups(): Groups {
  const known = new Map<string, Set<string>>();
  return {
    add(name, key) {
      const group = known.get(name) ?? new Set();
      known.set(name, group.add(key));
    },
    remove(name, key) {
      const group = known.get(name);
      if (group?.delete(key) && group.size === 0) known.delete(name);
    },
    of: (name) => known.get(name) ?? NONE,
  };
}
