/**
 * The state of another cluster, for views and metrics.
 *
 * @module
 */
import type { FollowState } from "../../../../kit/orch/mod.ts";
import type { SharedService } from "../services/sharing.ts";
import type { CredentialValidity } from "./secret.ts";

/**
 * `syncing`: it has not been read yet; `synced`; `timeout`: it was not read in time and counts as
 * empty until it is; `closed`: its secret is gone.
 */
export type ClusterState = "syncing" | "synced" | "timeout" | "closed";

/** A cluster that a secret names. */
export interface RemoteCluster {
  readonly cluster: string;
  /** `namespace/name` of the secret. */
  readonly secret: string;
  readonly server: string;
  readonly state: ClusterState;
  /** The reason why it cannot be followed now; its last rows stay in use. */
  readonly fault: string | undefined;
  /** True while changed credentials are tried beside those in use. */
  readonly replacing: boolean;
  /** Services and other rows in use. */
  readonly rows: number;
  readonly validity: CredentialValidity | undefined;
  readonly resources: readonly (FollowState & { readonly resource: string })[];
  /** Services that it exports or imports. */
  readonly shared: readonly SharedService[];
}
