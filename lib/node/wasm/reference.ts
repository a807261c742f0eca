/**
 * Addresses of Wasm modules: URLs of files, and images of registries.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** An image of a registry. */
export interface ImageReference {
  /** `host` or `host:port`. */
  readonly registry: string;
  readonly repository: string;
  /** Default `latest`, unless there is a digest. */
  readonly tag: string | undefined;
  /** `sha256:` and 64 hexadecimal digits; wins over the tag. */
  readonly digest: string | undefined;
}

/** Address of a module. */
export type ModuleReference =
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "image"; readonly image: ImageReference };

/** The registry of images without one, and the name of its API's host. */
const DEFAULT_REGISTRY = "docker.io";
const DEFAULT_REGISTRY_HOST = "registry-1.docker.io";

/** Grammar of the distribution specification: path components, tag, digest. */
const REPOSITORY =
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[a-f0-9]{64}$/;
const REGISTRY = /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/;

/**
 * Parses the `url` of a plugin: `http://…`, `https://…`, `oci://registry/image:tag@digest`; without
 * a scheme it is an image.
 *
 * @throws MeshError `wasm-reference`
 */
export function parseReference(text: string): ModuleReference {
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) throw fault(text, "it is not a URL");
    const url = new URL(text);
    if (url.username !== "" || url.password !== "") throw fault(text, "it has credentials");
    return { kind: "url", url };
  }
  const image = text.replace(/^oci:\/\//i, "");
  if (image.includes("://")) throw fault(text, "its scheme is not oci, http or https");
  return { kind: "image", image: imageOf(image, text) };
}

function imageOf(image: string, text: string): ImageReference {
  const [name = "", digest, ...rest] = image.split("@");
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  // A first component without dot and port is a part of the repository.
  const hasRegistry = slash > 0 && (/[.:[]/.test(first) || first === "localhost");
  const path = hasRegistry ? name.slice(slash + 1) : name;
  const [repository = "", tag, ...more] = path.split(":");
  const registry = hasRegistry ? first : DEFAULT_REGISTRY;
  if (rest.length > 0 || more.length > 0 || !REPOSITORY.test(repository)) {
    throw fault(text, "it is not the name of an image");
  }
  if (!REGISTRY.test(registry)) throw fault(text, "its registry is not a host");
  if (tag !== undefined && !TAG.test(tag)) throw fault(text, "its tag is not of the form of tags");
  if (digest !== undefined && !DIGEST.test(digest)) {
    throw fault(text, "its digest is not sha256: with 64 hexadecimal digits");
  }
  return {
    registry,
    repository: registry === DEFAULT_REGISTRY && !repository.includes("/")
      ? `library/${repository}`
      : repository,
    tag: tag ?? (digest === undefined ? "latest" : undefined),
    digest,
  };
}

/** Host of a registry's API. */
export function registryHost(registry: string): string {
  return registry === DEFAULT_REGISTRY ? DEFAULT_REGISTRY_HOST : registry;
}

/** The usual text of an image, for messages. */
export function imageText({ registry, repository, tag, digest }: ImageReference): string {
  const version = digest === undefined ? `:${tag}` : `@${digest}`;
  return `${registry}/${repository}${version}`;
}

function fault(text: string, why: string): MeshError {
  return new MeshError("wasm-reference", `${JSON.stringify(text)} is no module: ${why}`, {
    remedy: "Write oci://registry/image:tag, https://… or http://….",
  });
}
