/**
 * The self-signed root in a secret of the orchestrator, which all replicas of the daemon share.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  createObject,
  follow,
  getObject,
  isConflict,
  isNotFound,
  type ListItem,
  type OrchClient,
  type OrchObject,
  replaceObject,
  types,
} from "../../kit/orch/mod.ts";
import type { Issuer } from "../../kit/pki/mod.ts";
import { type RootChange, trustedRoots } from "./root_change.ts";
import type { RootStore } from "./store.ts";
import { issuerPem, readIssuer, readState, stateText, storeError } from "./stored_state.ts";

const log = scope("rootcertrotator");

/** Type of the secret of a self-signed root. */
export const SECRET_TYPE: string = "mesh.io/ca-root";
/** Keys of the secret. */
const KEYS = {
  certificate: "ca-cert.pem",
  key: "ca-key.pem",
  chain: "cert-chain.pem",
  roots: "root-cert.pem",
  /** Both roots and the phase of a change, as JSON; absent when there is no change. */
  change: "root-change.json",
} as const;

/** A secret; its data are in base64. */
export interface SecretObject extends OrchObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface SecretPlace {
  readonly client: OrchClient;
  readonly namespace: string;
  readonly name: string;
}

/**
 * A store in a secret. A write replaces only the version that was read last: of several replicas
 * that write at once one is first, and the others take its state.
 */
export function secretStore({ client, namespace, name }: SecretPlace): RootStore {
  const place = `secret ${namespace}/${name}`;
  let version: string | undefined;
  const load = async (): Promise<RootChange<Issuer> | undefined> => {
    const secret = await readSecret({ client, namespace, name });
    version = secret?.metadata.resourceVersion;
    return secret && await stateOf(secret, place);
  };
  return {
    load,
    async save(state) {
      const secret = await secretOf(state, { namespace, name, version });
      try {
        const stored = version === undefined
          ? await createObject<SecretObject>(client, types.SECRET, secret)
          : await replaceObject<SecretObject>(client, types.SECRET, secret);
        version = stored.metadata.resourceVersion;
        return state;
      } catch (error) {
        const removed = isNotFound(error) && version !== undefined;
        if (!isConflict(error) && !removed) throw accessError(place, "it cannot be written", error);
        // Another replica was first, or the secret was removed.
        return await load() ?? await this.save(state);
      }
    },
    follow(changed) {
      const receive = async (secret: SecretObject): Promise<void> => {
        const { resourceVersion } = secret.metadata;
        if (!isNewer(resourceVersion, version)) return;
        const state = await stateOf(secret, place);
        if (!isNewer(resourceVersion, version)) return;
        version = resourceVersion;
        changed(state);
      };
      const failed = (error: unknown) =>
        log.error("the stored root cannot be used; the last one stays in use", {
          reason: messageOf(error),
        });
      const following = follow<ListItem>({
        client,
        type: types.SECRET,
        selection: { namespace, fieldSelector: `metadata.name=${name}` },
        convert: (item) => item,
        changed: ({ upserts, deletes }) => {
          for (const secret of upserts) void receive(secret as SecretObject).catch(failed);
          if (deletes.length > 0) changed(undefined);
        },
      });
      return { [Symbol.asyncDispose]: () => following.close() };
    },
  };
}

/** Reads a secret; `undefined` without one. Throws `MeshError` `ca-store`. */
export async function readSecret(
  { client, namespace, name }: SecretPlace,
): Promise<SecretObject | undefined> {
  try {
    return await getObject<SecretObject>(client, types.SECRET, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw accessError(`secret ${namespace}/${name}`, "it cannot be read", error);
  }
}

/** The texts of a secret by key. */
export function textsOf({ data = {} }: Pick<SecretObject, "data">): Map<string, string> {
  const decoder = new TextDecoder();
  const entries = Object.entries(data);
  return new Map(entries.map(([key, text]) => [key, decoder.decode(Uint8Array.fromBase64(text))]));
}

async function secretOf(
  state: RootChange<Issuer>,
  { namespace, name, version }: {
    readonly namespace: string;
    readonly name: string;
    readonly version: string | undefined;
  },
): Promise<SecretObject> {
  const { certificate, key } = await issuerPem(state.active);
  const texts = {
    [KEYS.certificate]: certificate,
    [KEYS.key]: key,
    [KEYS.chain]: "",
    [KEYS.roots]: trustedRoots(state).map(({ certificate }) => certificate.pem).join(""),
    ...(state.phase === "stable" ? {} : { [KEYS.change]: await stateText(state) }),
  };
  const encode = (text: string) => new TextEncoder().encode(text).toBase64();
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace,
      name,
      ...(version === undefined ? {} : { resourceVersion: version }),
    },
    type: SECRET_TYPE,
    data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encode(text)])),
  };
}

/** Certificate and key decide. A change whose active root is another one is left out. */
async function stateOf(secret: SecretObject, place: string): Promise<RootChange<Issuer>> {
  const texts = textsOf(secret);
  const [certificate, key] = [texts.get(KEYS.certificate), texts.get(KEYS.key)];
  if (!certificate || !key) {
    throw storeError(place, `${certificate ? KEYS.key : KEYS.certificate} is missing`);
  }
  const active = await readIssuer({ certificate, key }, KEYS.certificate).catch((error) => {
    throw storeError(place, messageOf(error));
  });
  const change = texts.get(KEYS.change);
  const state = change && await readState(change, `${place}, ${KEYS.change}`);
  if (state && state.active.certificate.serial === active.certificate.serial) return state;
  return { phase: "stable", active };
}

/** Resource versions are numbers of one server. */
function isNewer(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined) return true;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return version !== than;
  return BigInt(version) > BigInt(than);
}

function accessError(place: string, why: string, cause: unknown): MeshError {
  if (cause instanceof MeshError && cause.code === "ca-store") return cause;
  return new MeshError("ca-store", `${place}: ${why}: ${messageOf(cause)}`, {
    remedy: "Create the namespace and let the daemon get, list, watch, create and update secrets " +
      "in it; or set ROOT_CA_DIR or MESHCA_SELF_SIGNED_DIR.",
    cause,
  });
}
