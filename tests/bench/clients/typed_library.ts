/**
 * Reads a ConfigMap again and again by the typed API of `@kubernetes/client-node`: KUBECONFIG.
 *
 * @module
 */
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { answer } from "./contestant.ts";

const [kubeconfig = ""] = Deno.args;
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
answer(async (question) => {
  const [, count, name = ""] = question.split(" ");
  for (let left = Number(count); left > 0; left--) {
    await api.readNamespacedConfigMap({ name, namespace: "default" });
  }
  return "";
});
