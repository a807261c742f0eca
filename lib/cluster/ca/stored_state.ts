/**
 * The text form of a self-signed root with its keys and the phase of a change.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import {
  type Issuer,
  privateKeyPem,
  readCertificates,
  readPrivateKey,
  same,
} from "../../kit/pki/mod.ts";
import type { RootChange } from "./root_change.ts";

/** Roots of a state, by their properties. */
const ROOTS = ["active", "next", "previous"] as const;

/** A certificate with its key, PEM. */
export interface IssuerPem {
  readonly certificate: string;
  readonly key: string;
}

/** JSON of the text: PEM of the roots, and the other properties of the state. */
interface Stored {
  readonly roots: Partial<Record<typeof ROOTS[number], IssuerPem>>;
  readonly state: Record<string, unknown>;
}

/** Writes a state as JSON, with the keys. */
export async function stateText(state: RootChange<Issuer>): Promise<string> {
  const roots: Stored["roots"] = {};
  const rest: Record<string, unknown> = { ...state };
  for (const name of ROOTS) {
    const issuer = rest[name] as Issuer | undefined;
    delete rest[name];
    if (issuer) roots[name] = await issuerPem(issuer);
  }
  return JSON.stringify({ roots, state: rest } satisfies Stored, null, 2);
}

/** The PEM texts of a root. */
export async function issuerPem({ certificate, key }: Issuer): Promise<IssuerPem> {
  return { certificate: certificate.pem, key: await privateKeyPem(key, "pkcs8") };
}

/** Reads a root from its PEM texts. */
export async function readIssuer(pems: IssuerPem, name: string): Promise<Issuer> {
  const [certificate] = readCertificates(pems.certificate, name);
  const key = await readPrivateKey(pems.key, name);
  if (!same(certificate!.spki, key.spki)) throw new Error(`the key of ${name} is another one`);
  return { certificate: certificate!, key };
}

/**
 * Reads a state. One that does not fit together is an error: a new root would cut all traffic.
 *
 * @param place the file or the secret, for errors
 * @throws MeshError `ca-store`
 */
export async function readState(text: string, place: string): Promise<RootChange<Issuer>> {
  try {
    const { roots, state } = JSON.parse(text) as Stored;
    const read: Record<string, Issuer> = {};
    for (const name of ROOTS) {
      const pems = roots[name];
      if (pems) read[name] = await readIssuer(pems, name);
    }
    const { phase } = state;
    const { active, next, previous } = read;
    if (phase === "stable" && active) return { phase, active };
    const since = Number(state.since);
    if (phase === "announced" && active && next && since > 0) {
      return { phase, active, next, since };
    }
    // Laggards are known again with the next check.
    if (phase === "overdue" && active && next && since > 0) {
      return { phase: "announced", active, next, since };
    }
    const until = Number(state.until);
    if (phase === "switched" && active && previous && until > 0) {
      return { phase, active, previous, until };
    }
    throw new Error("the phase and the roots do not fit");
  } catch (error) {
    // A parser of JSON quotes its input, which has keys.
    throw storeError(place, error instanceof SyntaxError ? "it is not JSON" : messageOf(error));
  }
}

export function storeError(place: string, why: string, cause?: unknown): MeshError {
  return new MeshError("ca-store", `${place}: ${why}`, {
    remedy: "Restore it from a backup. Removing it makes a new root, which proxies with " +
      "certificates of the old one do not trust.",
    cause,
  });
}
