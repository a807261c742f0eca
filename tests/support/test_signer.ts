/**
 * A signer that plays the controller of an operator's certificate authority: it signs approved
 * CertificateSigningRequest objects with a key of its own. It has no policy of a real one.
 *
 * @module
 */
import {
  follow,
  isConflict,
  isNotFound,
  type ListItem,
  type OrchClient,
  types,
} from "../../lib/kit/orch/mod.ts";
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  readCsr,
} from "../../lib/kit/pki/mod.ts";

export type SignerAnswer = "signs" | "fails" | "signs other names";

/** A running signer. */
export interface TestSigner extends AsyncDisposable {
  /** Root in PEM. */
  readonly root: string;
  /** Requests that it has answered. */
  answered(): number;
}

interface Request {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: { readonly signerName: string; readonly request: string };
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string }[];
  };
}

const DAY_MS = 86_400_000;

/** Starts a signer for signer names; each name has its answer. */
export async function startTestSigner(
  client: OrchClient,
  answers: Readonly<Record<string, SignerAnswer>>,
): Promise<TestSigner> {
  const issuer = await newIssuer();
  let count = 0;
  const answer = async (request: Request) => {
    const kind = answers[request.spec.signerName];
    const conditions = request.status?.conditions ?? [];
    const isDone = request.status?.certificate !== undefined ||
      conditions.some(({ type }) => type === "Failed");
    if (kind === undefined || isDone || !conditions.some(({ type }) => type === "Approved")) return;
    const status = kind === "fails"
      ? { conditions: [...conditions, FAILED] }
      : { conditions, certificate: btoa(await sign(issuer, request, kind)) };
    const path = `${COLLECTION}/${request.metadata.name}/status`;
    await client.json({ method: "PUT", path, body: { ...request, status } });
    count++;
  };
  const following = follow<Request>({
    client,
    type: types.CERTIFICATE_REQUEST,
    convert: (item) => item as ListItem & Request,
    changed({ upserts }) {
      for (const request of upserts) {
        answer(request).catch((error) => {
          if (!isConflict(error) && !isNotFound(error)) throw error;
        });
      }
    },
  });
  await following.synced;
  return {
    root: issuer.certificate.pem,
    answered: () => count,
    [Symbol.asyncDispose]: () => following.close(),
  };
}

const COLLECTION = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const FAILED = {
  type: "Failed",
  status: "True",
  reason: "Policy",
  message: "the policy of the test's signer allows no certificate",
};

async function newIssuer(): Promise<Issuer> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS * 365 };
  const certificate = await issueAuthority({
    ...validity,
    organization: "signer of the test",
    key,
  });
  return { certificate, key };
}

async function sign(issuer: Issuer, { spec }: Request, answer: SignerAnswer): Promise<string> {
  const { spki, names } = await readCsr(atob(spec.request));
  const of = (wanted: string) =>
    names.filter(({ type }) => type === wanted).map(({ value }) => value);
  const named = { uris: of("uri"), dnsNames: of("dns"), ips: of("ip") };
  const other = { uris: ["spiffe://cluster.local/ns/other/sa/other"] };
  const leaf = await issueLeaf({
    spki,
    ...(answer === "signs" ? named : other),
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + DAY_MS,
  }, issuer);
  return leaf.pem;
}
