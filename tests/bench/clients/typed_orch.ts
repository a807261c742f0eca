/**
 * Reads a ConfigMap again and again with `lib/kit/orch`: KUBECONFIG.
 *
 * @module
 */
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  getObject,
  loadKubeconfig,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { answer } from "./contestant.ts";

const [kubeconfig = ""] = Deno.args;
const access = accessOf(await loadKubeconfig([kubeconfig]), { allowed: ALL_CREDENTIAL_OPTIONS });
const client = createClient(access, { rate: { qps: 0, burst: 0 } });
answer(async (question) => {
  const [, count, name = ""] = question.split(" ");
  for (let left = Number(count); left > 0; left--) {
    await getObject(client, types.CONFIG_MAP, { name, namespace: "default" });
  }
  return "";
});
