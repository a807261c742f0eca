/**
 * Mesh configuration and networks from ConfigMaps of an orchestrator.
 *
 * @module
 */
import { inTurns } from "../../../kit/async/mod.ts";
import { hash, MeshError } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import {
  follow,
  type Following,
  type ListItem,
  type OrchClient,
  types,
} from "../../../kit/orch/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import {
  defaultMeshConfig,
  defaultMeshNetworks,
  type ParsedMessage,
  parseMeshConfigInSteps,
  parseMeshNetworks,
  type SchemaProblem,
} from "../../schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { createProblemReporter } from "../files/problem_reporter.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import { createListeners, type Followed } from "../followed.ts";

const log = scope("orch");

/** Keys of the ConfigMap. */
const MESH_KEY = "mesh";
const NETWORKS_KEY = "meshNetworks";

export interface SettingsDocument<T> extends Followed<T> {
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
}

/** Settings of following the ConfigMaps. */
export interface ConfigMapsOptions {
  readonly client: OrchClient;
  readonly namespace: string;
  /** Name of the ConfigMap with the keys `mesh` and `meshNetworks`. */
  readonly name: string;
  /** Name of a ConfigMap whose `mesh` is the base of the other; empty: none. */
  readonly shared: string;
  readonly signal: AbortSignal;
}

/** The documents of the ConfigMaps. */
export interface ConfigMapSettings extends AsyncDisposable {
  readonly mesh: SettingsDocument<MeshConfig>;
  readonly networks: SettingsDocument<MeshNetworks>;
}

/**
 * Follows the ConfigMaps and waits until they were read. An absent ConfigMap or key counts as the
 * built-in settings at the start; one that disappears later stays in use, and so does the last good
 * version of a faulty one.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 * @throws MeshError the code of the first problem when the content is faulty at the start
 */
export async function followConfigMaps(
  options: ConfigMapsOptions,
): Promise<ConfigMapSettings | undefined> {
  const { namespace, name, shared, signal } = options;
  const place = (of: string) => `configmap/${namespace}/${of}`;
  const mesh = new Document<MeshConfig>(defaultMeshConfig(), digestOfMesh);
  const networks = new Document<MeshNetworks>(
    defaultMeshNetworks(),
    (value) => hash(encode(MeshNetworksSchema, value)),
  );
  const update = async () => {
    const own = texts(following, namespace, name);
    const base = shared === "" ? undefined : texts(sharedFollowing!, namespace, shared);
    const places = [place(shared), place(name)] as const;
    mesh.update(await inTurns(readMesh(base?.[MESH_KEY], own?.[MESH_KEY], places)));
    const text = own?.[NETWORKS_KEY];
    networks.update(text === undefined ? undefined : parseMeshNetworks(text, place(name)));
  };
  let isReady = false;
  let isStale = false;
  let updates: Promise<void> = Promise.resolve();
  /** Updates once for all changes that arrive before the update begins. */
  const changed = () => {
    if (!isReady || isStale) return;
    isStale = true;
    updates = updates.then(() => {
      isStale = false;
      return update();
    });
  };
  const following = followMap(options, name, changed);
  const sharedFollowing = shared === "" ? undefined : followMap(options, shared, changed);
  const all = [following, ...sharedFollowing === undefined ? [] : [sharedFollowing]];
  const close = async () => {
    await Promise.all(all.map((one) => one.close()));
    await updates;
  };
  const synced = Promise.all(all.map((one) => one.synced));
  if (await raced(synced, signal) === "aborted") {
    await close();
    return undefined;
  }
  isReady = true;
  changed();
  await updates;
  try {
    mesh.throwFirst();
    networks.throwFirst();
  } catch (error) {
    await close();
    throw error;
  }
  if (texts(following, namespace, name)?.[MESH_KEY] === undefined) {
    log.info("no mesh configuration in the orchestrator, using the built-in one", {
      configMap: objectKey({ namespace, name }),
    });
  }
  return { mesh, networks, [Symbol.asyncDispose]: close };
}

function digestOfMesh(config: MeshConfig): string {
  return hash(encode(MeshConfigSchema, config));
}

async function raced(synced: Promise<unknown>, signal: AbortSignal): Promise<"synced" | "aborted"> {
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  return await Promise.race([synced.then(() => "synced" as const), aborted]);
}

type ConfigMapItem = ListItem & { readonly data?: Readonly<Record<string, string>> };

function followMap(
  { client, namespace }: ConfigMapsOptions,
  name: string,
  changed: () => void,
): Following<ConfigMapItem> {
  return follow<ConfigMapItem>({
    client,
    type: types.CONFIG_MAP,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    convert: (item) => item as ConfigMapItem,
    changed,
    stateChanged({ fault }) {
      if (fault === undefined) return;
      log.warn("a ConfigMap cannot be followed; its last content stays in use", {
        configMap: objectKey({ namespace, name }),
        reason: fault,
      });
    },
  });
}

function texts(following: Following<ConfigMapItem>, namespace: string, name: string) {
  return following.get({ namespace, name })?.data;
}

/** The shared text over the built-in configuration, and the revision's text over that. */
function* readMesh(
  shared: string | undefined,
  own: string | undefined,
  [sharedPlace, ownPlace]: readonly [string, string],
): Generator<void, ParsedMessage<MeshConfig> | undefined> {
  const base = shared === undefined
    ? undefined
    : yield* parseMeshConfigInSteps(shared, sharedPlace);
  if (own === undefined || base !== undefined && base.value === undefined) return base;
  const result = yield* parseMeshConfigInSteps(own, ownPlace, base?.value);
  return { ...result, warnings: [...new Set([...base?.warnings ?? [], ...result.warnings])] };
}

/** A value with its last good content. */
class Document<T> implements SettingsDocument<T> {
  #current: T;
  #digest: string;
  #problems: readonly SourceProblem[] = [];
  #warnings: readonly SchemaProblem[] = [];
  readonly #digestOf: (value: T) => string;
  readonly #listeners = createListeners<T>();
  readonly #reporter = createProblemReporter(log);

  constructor(fallback: T, digestOf: (value: T) => string) {
    this.#current = fallback;
    this.#digestOf = digestOf;
    this.#digest = digestOf(fallback);
  }

  current(): T {
    return this.#current;
  }

  subscribe(listener: (value: T) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  problems(): SourceProblem[] {
    return this.#reporter.dated(this.#problems);
  }

  warnings(): readonly SchemaProblem[] {
    return this.#warnings;
  }

  /** Takes a parsed text; `undefined`, an absent one, changes nothing. */
  update(parsed: ParsedMessage<T> | undefined): void {
    this.#problems = (parsed?.problems ?? []).map((one) => ({ ...one, lastGoodServes: true }));
    this.#warnings = parsed?.warnings ?? [];
    this.#reporter.report(this.#problems, this.#warnings);
    if (parsed?.value === undefined) return;
    const digest = this.#digestOf(parsed.value);
    if (digest === this.#digest) return;
    this.#digest = digest;
    this.#current = parsed.value;
    this.#listeners.notify(parsed.value);
  }

  throwFirst(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const at = first.path === "" ? "" : ` ${first.path}:`;
    const message = `${first.file}:${first.line}:${first.column}:${at} ${first.message}`;
    throw new MeshError(first.code, message, { remedy: first.remedy });
  }
}
