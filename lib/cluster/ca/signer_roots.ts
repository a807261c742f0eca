/**
 * The roots of the orchestrator's signers: from `caCertificates` of the mesh configuration, and from
 * a mounted file for signers that are not named there.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  type Certificate,
  type FileTexts,
  followFiles,
  readTexts,
  readTrustBundle,
  sameBundle,
  type TrustBundle,
  trustBundle,
} from "../../kit/pki/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { changes, type RootsSource } from "./authority.ts";

const log = scope("pkira");

/** Mounted roots of signers that the mesh configuration does not name. */
export const ROOTS_FILE = "./etc/external-ca-cert/root-cert.pem";
const INTERVAL_MS = 1000;
const REMEDY =
  `Give the roots in PEM in caCertificates of the mesh configuration, with the signer ` +
  `in certSigners; or those of ORCH_SIGNER in ${ROOTS_FILE}.`;

/** Input of {@link startSignerRoots}. */
export interface SignerRootsOptions {
  /** `caCertificates` of the mesh configuration now. */
  readonly authorities: () => MeshConfig["caCertificates"];
  /** Calls back after changes of the mesh configuration; returns a function that ends this. */
  readonly onMesh: (changed: () => void) => () => void;
  /** Default: {@link ROOTS_FILE}. */
  readonly file?: string;
}

/** Roots by signer. The bundle has those of all signers. */
export interface SignerRoots extends RootsSource {
  /** The roots of a signer, by its full name; `undefined` if the mesh configuration does not name it. */
  of(signer: string): readonly Certificate[] | undefined;
  /** The roots of signers that the mesh configuration does not name. */
  others(): readonly Certificate[];
}

/** An error of signers and of their settings. */
export function signerError(message: string, options: { readonly remedy: string }): MeshError {
  return new MeshError("ca-signer", message, options);
}

interface Roots {
  readonly bundle: TrustBundle;
  readonly bySigner: ReadonlyMap<string, readonly Certificate[]>;
  readonly others: readonly Certificate[];
}

/**
 * Reads the roots and follows their changes. While later contents are faulty, the last good ones
 * stay in use, and the fault is logged.
 *
 * @throws MeshError `ca-signer` if there are none, or faulty ones
 */
export async function startSignerRoots(options: SignerRootsOptions): Promise<SignerRoots> {
  const { authorities, onMesh, file = ROOTS_FILE } = options;
  const { onChange, notify } = changes();
  let texts = await readTexts([file]).catch((error) => {
    throw signerError(messageOf(error), { remedy: REMEDY });
  });
  const read = (): Roots => readRoots(authorities(), file, texts);
  let roots = read();
  const failed = (error: unknown) =>
    log.error("the roots of the signers cannot be used; the last ones stay in use", {
      reason: messageOf(error),
      remedy: REMEDY,
    });
  const update = () => {
    const before = roots;
    try {
      roots = read();
    } catch (error) {
      return failed(error);
    }
    if (sameBundle(before.bundle, roots.bundle)) return;
    log.info("the roots of the signers changed", { roots: roots.bundle.roots.length });
    notify();
  };
  const stop = onMesh(update);
  const stopFile = followFiles(texts, {
    paths: [file],
    intervalMs: INTERVAL_MS,
    failed,
    changed(now) {
      texts = now;
      update();
    },
  });
  return {
    current: () => roots,
    onChange,
    of: (signer) => roots.bySigner.get(signer),
    others: () => roots.others,
    async [Symbol.asyncDispose]() {
      stop();
      await stopFile();
    },
  };
}

function readRoots(
  authorities: MeshConfig["caCertificates"],
  file: string,
  texts: FileTexts,
): Roots {
  const bySigner = new Map<string, readonly Certificate[]>();
  try {
    authorities.forEach(({ certificateData, certSigners }, index) => {
      if (certSigners.length === 0 || certificateData.case !== "pem") return;
      const what = `caCertificates[${index}] of the mesh configuration`;
      const { roots } = readTrustBundle(certificateData.value, what);
      for (const signer of certSigners) {
        bySigner.set(signer, [...bySigner.get(signer) ?? [], ...roots]);
      }
    });
    const text = texts.get(file);
    const others = text === undefined ? [] : readTrustBundle(text, file).roots;
    const bundle = trustBundle([...[...bySigner.values()].flat(), ...others]);
    if (bundle.roots.length > 0) return { bundle, bySigner, others };
  } catch (error) {
    throw signerError(`the roots of the signers are faulty: ${messageOf(error)}`, {
      remedy: REMEDY,
    });
  }
  throw signerError("there are no roots of signers", { remedy: REMEDY });
}
