/**
 * Modules in images of registries, by the OCI distribution specification 1.1.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { basic, type RegistryCredentials } from "./credentials.ts";
import { type ImageReference, registryHost } from "./reference.ts";
import { fetchBytes, type Fetched, FetchError, type FetchOptions } from "./request.ts";

/** A registry's answer to the manifest of an image. */
export interface Manifest {
  /** Digests of the manifest, and of the index that led to it. */
  readonly digests: readonly string[];
  /** Digest of the layer that has the module. */
  readonly layer: string;
}

/** Access to the registry of one image. */
export interface Registry {
  manifest(): Promise<Manifest>;
  /** The content of a layer; its digest is verified. */
  layer(digest: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of {@link registryOf}. */
export interface RegistryOptions {
  readonly credentials: RegistryCredentials | undefined;
  /** Take plain HTTP and any certificate. */
  readonly insecure: boolean;
  readonly timeoutMs: number;
  /** Largest layer, bytes. */
  readonly maxBytes: number;
}

/** Largest manifest that registries must take, by the specification, bytes. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_TOKEN_BYTES = 1024 * 1024;

const MANIFESTS = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
const INDEX = /\.(index\.v1|manifest\.list\.v2)\+json$/;
/** The layer of an artifact that is nothing but a module. */
const WASM_LAYER = "application/vnd.module.wasm.content.layer.v1+wasm";
const ACCEPT = { accept: MANIFESTS.join(", ") };

/** Opens an image. Requests are authenticated when the registry asks for it. */
export function registryOf(image: ImageReference, options: RegistryOptions): Registry {
  let authorization: string | undefined;
  const limits = { insecure: options.insecure, timeoutMs: options.timeoutMs };
  let scheme = "https";
  const ask = async (path: string, more: Pick<FetchOptions, "headers" | "maxBytes">) => {
    const url = () =>
      new URL(`${scheme}://${registryHost(image.registry)}/v2/${image.repository}/${path}`);
    const get = () => fetchBytes(url(), { ...limits, ...more, authorization });
    let response = await withScheme(get);
    if (response.status === 401) {
      authorization = await authorize(response, image, options);
      response = await get();
    }
    return expectOk(response, url());
  };
  /** Registries that may be insecure are asked over TLS first. */
  const withScheme = async (get: () => Promise<Fetched>): Promise<Fetched> => {
    try {
      return await get();
    } catch (error) {
      if (!options.insecure || scheme === "http") throw error;
      scheme = "http";
      return await get();
    }
  };
  const manifest = async (reference: string, index: string[] = []): Promise<Manifest> => {
    const { body, headers } = await ask(`manifests/${reference}`, {
      headers: ACCEPT,
      maxBytes: MAX_MANIFEST_BYTES,
    });
    const digest = sha256(body);
    if (reference.startsWith("sha256:")) expectDigest(digest, reference, "manifest");
    const content: ManifestContent = parsed(body, "the manifest of the image");
    const type = content.mediaType ?? headers["content-type"] ?? "";
    if (!INDEX.test(type)) return { digests: [digest, ...index], layer: layerOf(content) };
    const [first] = content.manifests ?? [];
    if (first?.digest === undefined || index.length > 0) {
      throw new FetchError("the index of the image names no manifest", false);
    }
    return await manifest(digestText(first.digest), [digest]);
  };
  return {
    manifest: () => manifest(image.digest ?? image.tag ?? "latest"),
    async layer(digest) {
      const { body } = await ask(`blobs/${digest}`, { maxBytes: options.maxBytes });
      expectDigest(sha256(body), digest, "layer");
      return body;
    },
  };
}

/** The used fields of manifests and indexes. */
interface ManifestContent {
  readonly mediaType?: string;
  readonly layers?: readonly { readonly mediaType?: string; readonly digest?: unknown }[];
  readonly manifests?: readonly { readonly digest?: unknown }[];
}

function parsed(body: Uint8Array, what: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    throw new FetchError(`${what} is not JSON`, false);
  }
}

/** The layer with a module; of an image made of file systems, the last layer. */
function layerOf({ layers }: ManifestContent): string {
  if (!Array.isArray(layers) || layers.length === 0) {
    throw new FetchError("the image has no layer", false);
  }
  const layer = layers.find(({ mediaType }) => mediaType === WASM_LAYER) ?? layers.at(-1);
  return digestText(layer?.digest);
}

function digestText(digest: unknown): string {
  if (typeof digest === "string" && /^sha256:[a-f0-9]{64}$/.test(digest)) return digest;
  throw new FetchError("the manifest of the image has a digest that is not SHA-256", false);
}

/** Digest of bytes, `sha256:…`. */
function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function expectDigest(actual: string, wanted: string, what: string): void {
  if (actual === wanted) return;
  throw new FetchError(`the ${what} has the digest ${actual}, not ${wanted}`, false);
}

function expectOk(response: Fetched, url: URL): Fetched {
  if (response.status === 200) return response;
  throw new FetchError(
    `${url.origin}${url.pathname} answers ${response.status}`,
    isTransient(response.status),
  );
}

/** Reports if another attempt may get a better status. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** The header for the challenge of a response: basic, or a token of the server it names. */
async function authorize(
  response: Fetched,
  image: ImageReference,
  options: RegistryOptions,
): Promise<string> {
  const { credentials } = options;
  const challenge = response.headers["www-authenticate"] ?? "";
  if (/^basic\b/i.test(challenge)) {
    if (credentials !== undefined) return basic(credentials);
    throw new FetchError(`${image.registry} asks for credentials`, false);
  }
  const fields = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value ?? ""]),
  );
  const realm = fields.get("realm") ?? "";
  if (!/^bearer\b/i.test(challenge) || !URL.canParse(realm)) {
    throw new FetchError(`${image.registry} refuses access without a known challenge`, false);
  }
  return await token(new URL(realm), fields, image, options);
}

/** Credentials go only over TLS, or to a registry that may be insecure. */
async function token(
  realm: URL,
  fields: ReadonlyMap<string | undefined, string>,
  image: ImageReference,
  { credentials, insecure, timeoutMs }: RegistryOptions,
): Promise<string> {
  if (realm.protocol !== "https:" && !(insecure && realm.protocol === "http:")) {
    throw new FetchError(`${image.registry} names a token server without TLS`, false);
  }
  const service = fields.get("service");
  if (service) realm.searchParams.set("service", service);
  realm.searchParams.set("scope", fields.get("scope") || `repository:${image.repository}:pull`);
  const response = await fetchBytes(realm, {
    authorization: credentials && basic(credentials),
    insecure,
    timeoutMs,
    maxBytes: MAX_TOKEN_BYTES,
  });
  const { status, body } = response;
  if (status !== 200) {
    throw new FetchError(`${realm.origin} answers ${status}`, isTransient(status));
  }
  const content = parsed(body, `the answer of ${realm.origin}`);
  const value = content.token ?? content.access_token;
  if (typeof value !== "string") throw new FetchError(`${realm.origin} gives no token`, false);
  return `Bearer ${value}`;
}
