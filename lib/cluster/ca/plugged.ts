/**
 * The plugged-in authority: certificate and key that the operator mounts. They are followed, so that
 * a renewal needs no restart.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { follow, type ListItem, types } from "../../kit/orch/mod.ts";
import {
  type Certificate,
  type FileTexts,
  followFiles,
  readCertificates,
  readPrivateKey,
  readTexts,
  readTrustBundle,
  same,
  trustBundle,
  verifyChain,
} from "../../kit/pki/mod.ts";
import { type Authority, type AuthoritySource, changes } from "./authority.ts";
import {
  readSecret,
  SECRET_TYPE,
  type SecretObject,
  type SecretPlace,
  textsOf,
} from "./secret_store.ts";

const log = scope("pkica");

/** File names of one layout. */
interface Layout {
  readonly certificate: string;
  readonly key: string;
  /** Certificates between the authority's own and the root. */
  readonly chain?: string;
  readonly roots: string;
}

/** The layouts; the first whose key exists is used. */
const LAYOUTS: readonly Layout[] = [
  {
    certificate: "ca-cert.pem",
    key: "ca-key.pem",
    chain: "cert-chain.pem",
    roots: "root-cert.pem",
  },
  { certificate: "tls.crt", key: "tls.key", roots: "ca.crt" },
];
const NAMES = LAYOUTS.flatMap((layout) => Object.values(layout) as string[]);

/** Options of following a directory. */
export interface PluggedOptions {
  readonly dir: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Interval of reads, ms. Default: 1 s. */
  readonly intervalMs?: number;
}

/**
 * Reads the authority of a directory; `undefined` when it has no key of one. While later contents
 * are faulty, the last good ones stay in use, and the fault is logged.
 *
 * @throws MeshError `ca-plugged` when the first contents are faulty
 */
export async function startPlugged(options: PluggedOptions): Promise<AuthoritySource | undefined> {
  const { dir, clock, intervalMs = 1000 } = options;
  const paths = NAMES.map((name) => `${dir}/${name}`);
  const texts = await readTexts(paths).catch((error) => {
    throw pluggedError(dir, messageOf(error));
  });
  if (!layoutOf(dir, texts)) return undefined;
  const { source, changed } = await usePlugged(dir, texts, clock);
  const stop = followFiles(texts, { paths, intervalMs, failed, changed });
  return { ...source, [Symbol.asyncDispose]: stop };
}

/**
 * Reads the authority of a secret, whose keys are the file names; `undefined` without one, and for
 * the secret of a self-signed root. It is followed as files are; a removed secret stays in use.
 *
 * @throws MeshError `ca-plugged` when the first contents are faulty, `ca-store` if the secret cannot
 * be read
 */
export async function startPluggedSecret(
  { client, namespace, name }: SecretPlace,
  clock: () => number,
): Promise<AuthoritySource | undefined> {
  const place = `secret ${namespace}/${name}`;
  const secret = await readSecret({ client, namespace, name });
  if (secret === undefined || secret.type === SECRET_TYPE) return undefined;
  const texts = fileTexts(place, secret);
  if (!layoutOf(place, texts)) return undefined;
  const { source, changed } = await usePlugged(place, texts, clock);
  let version = secret.metadata.resourceVersion;
  const following = follow<ListItem>({
    client,
    type: types.SECRET,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    convert: (item) => item,
    changed({ upserts, deletes }) {
      if (deletes.length > 0) failed(pluggedError(place, "the secret was removed"));
      for (const item of upserts) {
        if (item.metadata.resourceVersion === version) continue;
        version = item.metadata.resourceVersion;
        void changed(fileTexts(place, item as SecretObject)).catch(failed);
      }
    },
  });
  return { ...source, [Symbol.asyncDispose]: () => following.close() };
}

function fileTexts(place: string, secret: SecretObject): FileTexts {
  return new Map([...textsOf(secret)].map(([key, text]) => [`${place}/${key}`, text]));
}

/** An authority from texts, and the function that replaces it. */
async function usePlugged(place: string, texts: FileTexts, clock: () => number) {
  const { onChange, notify } = changes();
  let authority = await readAuthority(place, texts, clock());
  log.info("using the plugged-in authority", fieldsOf(place, authority));
  return {
    source: { current: () => authority, onChange },
    async changed(texts: FileTexts): Promise<void> {
      authority = await readAuthority(place, texts, clock());
      log.info("the plugged-in authority changed", fieldsOf(place, authority));
      notify();
    },
  };
}

function failed(error: unknown): void {
  log.error("the plugged-in authority cannot be used; the last one stays in use", {
    reason: messageOf(error),
  });
}

function layoutOf(dir: string, texts: FileTexts): Layout | undefined {
  return LAYOUTS.find(({ key }) => texts.get(`${dir}/${key}`) !== undefined);
}

async function readAuthority(dir: string, texts: FileTexts, now: number): Promise<Authority> {
  const layout = layoutOf(dir, texts);
  if (!layout) throw pluggedError(dir, `neither ${LAYOUTS.map(({ key }) => key).join(" nor ")}`);
  const text = (name: string): string => {
    const found = texts.get(`${dir}/${name}`);
    if (found === undefined) throw pluggedError(dir, `${name} is missing`);
    return found;
  };
  try {
    const [certificate, ...more] = readCertificates(text(layout.certificate), layout.certificate);
    const key = await readPrivateKey(text(layout.key), layout.key);
    if (!same(certificate!.spki, key.spki)) {
      throw pluggedError(dir, `${layout.key} is not the key of ${layout.certificate}`);
    }
    const chain = layout.chain && texts.get(`${dir}/${layout.chain}`);
    const intermediates = [...more, ...chain ? readCertificates(chain, layout.chain!) : []];
    const bundle = readTrustBundle(text(layout.roots), layout.roots);
    if (!certificate!.isCa || !certificate!.signsCertificates) {
      throw pluggedError(dir, `${layout.certificate} is not the certificate of an authority`);
    }
    const path = await verifyChain(certificate!, { intermediates, roots: bundle.roots, now });
    return authorityOf(path, bundle.roots, { certificate: certificate!, key });
  } catch (error) {
    if (error instanceof MeshError && error.code === "ca-plugged") throw error;
    throw pluggedError(dir, messageOf(error));
  }
}

/** The authority of a verified path; the root that signs comes last in the bundle. */
function authorityOf(
  path: readonly Certificate[],
  roots: readonly Certificate[],
  issuer: Authority["issuer"],
): Authority {
  const root = path.at(-1)!;
  return {
    issuer,
    intermediates: path.slice(0, -1),
    root,
    bundle: trustBundle([...roots.filter(({ der }) => !same(der, root.der)), root]),
  };
}

function fieldsOf(dir: string, { issuer, bundle }: Authority): Record<string, unknown> {
  return { dir, serial: issuer.certificate.serial, roots: bundle.roots.length };
}

function pluggedError(dir: string, why: string): MeshError {
  return new MeshError("ca-plugged", `${dir}: ${why}`, {
    remedy: "Give ca-cert.pem, ca-key.pem, cert-chain.pem and root-cert.pem, or tls.crt, tls.key " +
      "and ca.crt, of one authority; or remove the secret, or set ROOT_CA_DIR to an empty directory.",
  });
}
