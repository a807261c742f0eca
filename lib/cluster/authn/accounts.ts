/**
 * Lists of service accounts.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { SpiffeId } from "../../kit/pki/mod.ts";

/** A namespace or an account; `*` is every one. */
const PART = /^(\*|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/;

/**
 * Matches the accounts of a list, `NAMESPACE/ACCOUNT` separated by commas; `undefined` for an empty
 * list. `*` stands for every namespace or account.
 *
 * @throws MeshError `credential-accounts`
 */
export function accountMatcher(list: string): ((id: SpiffeId) => boolean) | undefined {
  const items = list.split(",").map((item) => item.trim()).filter((item) => item !== "");
  if (items.length === 0) return undefined;
  const pairs = items.map((item): [string, string] => {
    const [namespace = "", account = "", ...more] = item.split("/");
    if (PART.test(namespace) && PART.test(account) && more.length === 0) {
      return [namespace, account];
    }
    throw new MeshError("credential-accounts", `${item} is no NAMESPACE/ACCOUNT`, {
      remedy: "Write accounts in MESH_CREDENTIAL_ACCOUNTS as shop/gateway, shop/* or */gateway.",
    });
  });
  return (id) =>
    pairs.some(([namespace, account]) =>
      (namespace === "*" || namespace === id.namespace) &&
      (account === "*" || account === id.serviceAccount)
    );
}
