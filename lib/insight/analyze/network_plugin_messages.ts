/**
 * The messages about the network plugin alone, for commands that check a cluster.
 *
 * @module
 */
import type { SeenDocument } from "../../mesh/schema/mod.ts";
import { analyzeDocuments } from "./document_messages.ts";
import { NETWORK_PLUGIN } from "./documents/mod.ts";
import type { Message } from "./message.ts";
import { plainDocument } from "./plain.ts";

/** The messages, from nodes, pods and the configurations of injectors. */
export function networkPluginMessages(
  seen: readonly SeenDocument[],
  meshNamespace: string,
): readonly Message[] {
  const documents = seen.flatMap((one) => plainDocument(one) ?? []);
  const analyzers = [NETWORK_PLUGIN.name];
  return analyzeDocuments(documents, { meshNamespace, domain: "", imageType: "", analyzers });
}
