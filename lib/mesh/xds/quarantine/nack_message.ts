/**
 * Finds the rejected resources in a client's error message.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/**
 * Prefix of Envoy's message when it rejects single clusters or listeners of a response; `name:
 * reason` follows for each.
 */
const LIST = /adding\/updating (?:cluster|listener)(?:\(s\))? /;
/** Text before a name in such a list. */
const INTRODUCES = /(?:^|,|\n)\s*$/;

/** Characters of names: one next to a match means that it is part of a longer name. */
const NAME_CHARACTER = /[\w|.\-/:~]/;

/**
 * Returns the resources that a message names; empty if it names none. If the message has Envoy's
 * list, only its names count, because the reasons may mention other names.
 */
export function named(message: string, resources: readonly Resource[]): readonly Resource[] {
  const list = LIST.exec(message);
  const rest = list ? message.slice(list.index + list[0].length) : "";
  const ofList = resources.filter(({ name }) => lists(rest, name));
  return ofList.length > 0 ? ofList : resources.filter(({ name }) => mentions(message, name));
}

/** Reports if a list of reasons has one for a name. */
function lists(list: string, name: string): boolean {
  const entry = name + ": ";
  for (let at = list.indexOf(entry); at >= 0; at = list.indexOf(entry, at + 1)) {
    if (INTRODUCES.test(list.slice(Math.max(0, at - 3), at))) return true;
  }
  return false;
}

/** Reports if a text has a name as a separate word. */
function mentions(message: string, name: string): boolean {
  if (name === "") return false;
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const before = message[at - 1] ?? " ";
    const after = message.slice(at + name.length, at + name.length + 2);
    // A colon or full stop ends a clause when nothing of a name follows.
    const goesOn = NAME_CHARACTER.test(after[0] ?? " ") &&
      !(/[.:]/.test(after[0]!) && !NAME_CHARACTER.test(after[1] ?? " "));
    if (!NAME_CHARACTER.test(before) && !goesOn) return true;
  }
  return false;
}
