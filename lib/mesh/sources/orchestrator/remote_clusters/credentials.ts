/**
 * The credentials of one remote cluster. While the cluster's access is replaced, two sources read its
 * secrets; only one of them feeds the credentials.
 *
 * @module
 */
import type { Intake, SettingChanges } from "../../../ingest/mod.ts";
import { type Credential, credentialKey } from "../../../model/mod.ts";

/** The credentials of a cluster, as they were reported. */
export interface ClusterCredentialRows {
  /** A feed whose changes are collected until it is used. */
  feed(): CredentialFeed;
  /** Reports the deletion of all credentials. */
  clear(): void;
}

/** The receiving side of one source of secrets. */
export interface CredentialFeed {
  settings(changes: Pick<SettingChanges, "credentials">): void;
  /** Reports the differences to the credentials in use, and later changes from then on. */
  use(): void;
}

type Changes = ReadonlyMap<string, Credential | undefined>;

/** Starts without credentials. */
export function createClusterCredentials(
  cluster: string,
  intake: Pick<Intake, "settings">,
): ClusterCredentialRows {
  const reported = new Map<string, Credential>();
  let used: CredentialFeed | undefined;
  const report = (changes: Changes): void => {
    const different = new Map<string, Credential | undefined>();
    for (const [name, credential] of changes) {
      if (same(reported.get(name), credential)) continue;
      if (credential === undefined) reported.delete(name);
      else reported.set(name, credential);
      different.set(credentialKey(cluster, name), credential);
    }
    if (different.size > 0) intake.settings({ credentials: different });
  };
  return {
    feed() {
      const collected = new Map<string, Credential>();
      const feed: CredentialFeed = {
        settings({ credentials = new Map() }) {
          if (used === feed) return report(credentials);
          for (const [name, credential] of credentials) {
            if (credential === undefined) collected.delete(name);
            else collected.set(name, credential);
          }
        },
        use() {
          used = feed;
          const gone = [...reported.keys()].filter((name) => !collected.has(name));
          report(new Map([...collected, ...gone.map((name) => [name, undefined] as const)]));
          collected.clear();
        },
      };
      return feed;
    },
    clear() {
      used = undefined;
      report(new Map([...reported.keys()].map((name) => [name, undefined])));
    },
  };
}

/** Both have the same texts, in the order in which secrets are read. */
function same(one: Credential | undefined, other: Credential | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
