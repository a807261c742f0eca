/**
 * Mesh configuration whose `caCertificates` name addresses of trust bundles: the bundles are fetched
 * and put in place of the addresses.
 *
 * @module
 */
import { clone } from "../../../kit/proto/mod.ts";
import type { SchemaProblem } from "../../schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { createListeners, type Followed } from "../followed.ts";
import { type BundleSourceOptions, startBundleSource } from "./bundles.ts";
import type { FetchFault } from "./refresh.ts";

/** A mesh configuration with the bundles that were fetched so far. */
export interface MeshWithBundles extends Followed<MeshConfig>, Disposable {
  /** A warning for each address from which no bundle was fetched yet. */
  warnings(): SchemaProblem[];
  /** The bundles that cannot be fetched now, by address. */
  faults(): FetchFault[];
}

/** Settings; the rest are those of {@linkcode startBundleSource}. */
export interface BundleOptions extends Omit<BundleSourceOptions, "onBundle"> {
  /** False: authorities are not served to agents, and no bundle is fetched. */
  readonly enabled: boolean;
}

/** Fetches the bundles that a mesh configuration names, and fetches them again as they expire. */
export function fetchBundles(
  mesh: Followed<MeshConfig>,
  { enabled, ...rest }: BundleOptions,
): MeshWithBundles {
  const listeners = createListeners<MeshConfig>();
  const fetched = new Map<string, string>();
  const source = startBundleSource({
    ...rest,
    onBundle: (url, pem) => {
      fetched.set(url, pem);
      listeners.notify(withBundles(mesh.current(), fetched));
    },
  });
  const request = (current: MeshConfig): void => {
    if (!enabled) return;
    const urls = addressesIn(current);
    for (const url of fetched.keys()) if (!urls.includes(url)) fetched.delete(url);
    source.request(urls);
  };
  request(mesh.current());
  const unsubscribe = mesh.subscribe((current) => {
    request(current);
    listeners.notify(withBundles(current, fetched));
  });
  return {
    current: () => withBundles(mesh.current(), fetched),
    subscribe: listeners.subscribe,
    faults: () => source.faults(),
    warnings: () => enabled ? missing(mesh.current(), fetched) : [],
    [Symbol.dispose]: () => {
      unsubscribe();
      source[Symbol.dispose]();
    },
  };
}

function missing(
  { caCertificates }: MeshConfig,
  fetched: ReadonlyMap<string, string>,
): SchemaProblem[] {
  return caCertificates.flatMap(({ certificateData: { case: kind, value } }, at) =>
    kind !== "spiffeBundleUrl" || fetched.has(value) ? [] : [{
      file: "mesh configuration",
      line: 1,
      column: 1,
      path: `caCertificates[${at}].spiffeBundleUrl`,
      code: "bundle-fetch",
      message: `no trust bundle was fetched from ${value} yet`,
      remedy: "See the log of scope bundles for the reason.",
    }]
  );
}

function addressesIn({ caCertificates }: MeshConfig): string[] {
  return caCertificates.flatMap(({ certificateData: { case: kind, value } }) =>
    kind === "spiffeBundleUrl" ? [value] : []
  );
}

/**
 * Returns a copy in which bundles replace their addresses. Without its bundle an address trusts no
 * certificate.
 */
function withBundles(mesh: MeshConfig, fetched: ReadonlyMap<string, string>): MeshConfig {
  if (!addressesIn(mesh).some((url) => fetched.has(url))) return mesh;
  const resolved = clone(MeshConfigSchema, mesh);
  for (const authority of resolved.caCertificates) {
    const { case: kind, value } = authority.certificateData;
    const pem = kind === "spiffeBundleUrl" ? fetched.get(value) : undefined;
    if (pem !== undefined) authority.certificateData = { case: "pem", value: pem };
  }
  return resolved;
}
