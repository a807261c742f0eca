/**
 * The pods that node proxies have to know.
 *
 * @module
 */
import type { WorkloadInfo } from "./messages.ts";

/** A pod as node proxies are told of it. */
export interface RosterPod {
  readonly uid: string;
  readonly info: WorkloadInfo;
  /** Path of its network namespace, as this process sees it; absent: not known now. */
  readonly netns?: string;
}

/** An entry; each change has a new version. */
export interface RosterEntry extends RosterPod {
  readonly version: number;
}

/** The pods, with what is known of them. */
export class Roster {
  readonly #entries = new Map<string, RosterEntry>();
  #version = 0;
  /** All pods of the node are there: what is missing is not of the mesh. */
  isComplete = false;

  /** Writes a pod. Doing it again changes nothing, unless `again` asks for another message. */
  put(pod: RosterPod, again = false): RosterEntry {
    const { uid, netns, info } = pod;
    const before = this.#entries.get(uid);
    const isSame = before?.netns === netns && before?.info.serviceAccount === info.serviceAccount;
    if (before !== undefined && isSame && !again) return before;
    const entry = { ...pod, version: ++this.#version };
    this.#entries.set(uid, entry);
    return entry;
  }

  delete(uid: string): boolean {
    return this.#entries.delete(uid);
  }

  get(uid: string): RosterEntry | undefined {
    return this.#entries.get(uid);
  }

  values(): Iterable<RosterEntry> {
    return this.#entries.values();
  }
}
