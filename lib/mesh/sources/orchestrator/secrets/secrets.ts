/**
 * Source of credentials: the secrets of an orchestrator that have certificates, authorities or
 * credentials of image registries.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../../kit/log/mod.ts";
import { type Credential, objectKey } from "../../../model/mod.ts";
import {
  type Changes,
  follow,
  type FollowState,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  types,
} from "../../../../kit/orch/mod.ts";
import {
  CREDENTIAL_NAMES,
  type CredentialFault,
  credentialOf,
  servedInstead,
} from "../../credential_parts.ts";
import { credentialFailures } from "../../credential_metrics.ts";
import { isRefused } from "../refused.ts";

const log = scope("credentials");

/** Settings of the source. */
export interface SecretsOptions {
  readonly client: OrchClient;
  /** Id of the remote cluster, in log lines; absent: the daemon's own. */
  readonly cluster?: string;
  readonly intake: Pick<Intake, "settings" | "synced" | "health">;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  readonly timing?: Partial<FollowTiming>;
}

/** The followed secrets. */
export interface SecretsSource extends AsyncDisposable {
  /** Resolves when all secrets were received, when the server refuses them, or after the end. */
  readonly ready: Promise<void>;
  state(): FollowState;
  /** Credentials that cannot be used now. */
  faults(): CredentialFault[];
}

/** Types of secrets without credentials that proxies need: they may be many and large. */
const OTHER_TYPES = [
  "helm.sh/release.v1",
  "kubernetes.io/service-account-token",
  "mesh.io/ca-root",
];
/** Names of contents that are kept. */
const NAMES: ReadonlySet<string> = new Set(Object.values(CREDENTIAL_NAMES).flat());

/** A secret; its data are in base64. */
type SecretItem = ListItem & { readonly data?: Readonly<Record<string, string>> };

/** The kept part of a secret. */
interface Kept {
  readonly key: string;
  /** `undefined`: nothing that proxies need. */
  readonly credential: Credential | undefined;
  readonly problem: string | undefined;
}

/**
 * Follows the secrets and reports their credentials. Only the contents of known names are
 * kept. While a changed secret is faulty (a key of another certificate, no PEM), its last good
 * version stays in use.
 */
export function followSecrets(options: SecretsOptions): SecretsSource {
  const { client, cluster, intake, namespace, timing } = options;
  const at = cluster === undefined ? {} : { cluster };
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
  const rows = new Map<string, Credential>();
  const faults = new Map<string, Fault>();
  const following = follow<Kept>({
    client,
    type: types.SECRET,
    selection: {
      ...(namespace === "" ? {} : { namespace }),
      fieldSelector: OTHER_TYPES.map((type) => `type!=${type}`).join(),
    },
    convert: keep,
    changed: (changes) => report(changes, { rows, faults, intake, at }),
    stateChanged({ fault }) {
      intake.health(fault);
      if (fault === undefined) return;
      log.warn("secrets cannot be read; the last ones stay in use", { ...at, reason: fault });
      if (isRefused(fault)) refuse();
    },
    ...(timing === undefined ? {} : { timing }),
  });
  const ready = Promise.race([following.synced, refused]).then(() => intake.synced());
  return {
    ready,
    state: () => following.state(),
    faults: () =>
      [...faults].map(([credential, fault]) => ({
        credential,
        place: `secret ${credential}`,
        lastGoodServes: isServed(rows.get(credential)),
        ...fault,
      })),
    [Symbol.asyncDispose]: () => following.close(),
  };
}

function keep(item: ListItem): Kept {
  const { metadata: { namespace = "", name }, data = {} } = item as SecretItem;
  const key = objectKey({ namespace, name });
  const contents = new Map<string, Uint8Array>();
  for (const [name, text] of Object.entries(data)) {
    if (NAMES.has(name)) contents.set(name, Uint8Array.fromBase64(text));
  }
  if (contents.size === 0) return { key, credential: undefined, problem: undefined };
  const { files, problem } = credentialOf(contents);
  return { key, credential: problem === undefined ? files : undefined, problem };
}

/** Reports if a credential has more than its fault. */
function isServed(row: Credential | undefined): boolean {
  return Object.keys(row ?? {}).some((part) => part !== "fault");
}

type Fault = Pick<CredentialFault, "problem" | "since">;

function report(
  { upserts, deletes }: Changes<Kept>,
  { rows, faults, intake, at }: {
    readonly rows: Map<string, Credential>;
    readonly faults: Map<string, Fault>;
    readonly intake: SecretsOptions["intake"];
    readonly at: { readonly cluster?: string };
  },
): void {
  const changes = new Map<string, Credential | undefined>();
  for (const name of deletes) {
    const key = objectKey(name);
    faults.delete(key);
    if (rows.delete(key)) changes.set(key, undefined);
  }
  for (const { key, credential, problem } of upserts) {
    if (problem === undefined) faults.delete(key);
    else faults.set(key, { problem, since: faults.get(key)?.since ?? Date.now() });
    if (credential === undefined && problem === undefined) {
      if (rows.delete(key)) changes.set(key, undefined);
      continue;
    }
    const row = problem === undefined ? credential! : { ...rows.get(key), fault: problem };
    rows.set(key, row);
    changes.set(key, row);
    if (problem !== undefined) {
      credentialFailures.inc();
      const serving = servedInstead(isServed(row));
      log.warn("a credential cannot be used", { ...at, credential: key, problem, serving });
    }
  }
  if (changes.size > 0) intake.settings({ credentials: changes });
}
