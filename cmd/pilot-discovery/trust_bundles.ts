/**
 * Authorities of the mesh configuration that are given by addresses: fetched, and put in their places.
 *
 * @module
 */
import { clone } from "../../lib/proto/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import { type BundleSourceOptions, startBundleSource } from "../../lib/sources/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";

/** A mesh configuration whose authorities are texts. */
export interface ResolvedAuthorities extends Disposable {
  /** The configuration with what was fetched by now; fetches what is new in it. */
  resolve(mesh: MeshConfig): MeshConfig;
  /** A warning for each address from which nothing has come yet. */
  warnings(): SchemaProblem[];
}

/** What resolving needs; the rest is as {@linkcode startBundleSource} has it. */
export interface BundleOptions extends Omit<BundleSourceOptions, "onBundle"> {
  /** Whether anybody is told of authorities; nothing is fetched otherwise. */
  readonly told: boolean;
  /** Called with the configuration when other authorities have come. */
  readonly onChange: (mesh: MeshConfig) => void;
}

/** Fetches bundles of authorities, and again as they grow old. */
export function resolveAuthorities(options: BundleOptions): ResolvedAuthorities {
  const { told, onChange, ...rest } = options;
  const fetched = new Map<string, string>();
  let last: MeshConfig | undefined;
  const source = startBundleSource({
    ...rest,
    onBundle: (url, pem) => {
      fetched.set(url, pem);
      if (last !== undefined) onChange(withAuthorities(last, fetched));
    },
  });
  return {
    resolve: (mesh) => {
      if (!told) return mesh;
      last = mesh;
      const wanted = addressesIn(mesh);
      for (const url of fetched.keys()) if (!wanted.includes(url)) fetched.delete(url);
      source.want(wanted);
      return withAuthorities(mesh, fetched);
    },
    warnings: () =>
      (last?.caCertificates ?? []).flatMap(({ certificateData: { case: kind, value } }, at) =>
        kind !== "spiffeBundleUrl" || fetched.has(value) ? [] : [{
          file: "mesh configuration",
          line: 1,
          column: 1,
          path: `caCertificates[${at}].spiffeBundleUrl`,
          code: "bundle-fetch",
          message: `no trust bundle has come from ${value} yet`,
          remedy: "See the log of scope bundles for the reason.",
        }]
      ),
    [Symbol.dispose]: () => source[Symbol.dispose](),
  };
}

function addressesIn({ caCertificates }: MeshConfig): string[] {
  return caCertificates.flatMap(({ certificateData: { case: kind, value } }) =>
    kind === "spiffeBundleUrl" ? [value] : []
  );
}

/** Texts in place of the addresses they came from; the others stay addresses, and vouch for nobody. */
function withAuthorities(mesh: MeshConfig, fetched: ReadonlyMap<string, string>): MeshConfig {
  if (!addressesIn(mesh).some((url) => fetched.has(url))) return mesh;
  const resolved = clone(MeshConfigSchema, mesh);
  for (const authority of resolved.caCertificates) {
    const { case: kind, value } = authority.certificateData;
    const pem = kind === "spiffeBundleUrl" ? fetched.get(value) : undefined;
    if (pem !== undefined) authority.certificateData = { case: "pem", value: pem };
  }
  return resolved;
}
