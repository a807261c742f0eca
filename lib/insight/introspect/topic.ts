/**
 * The frame of all topics: JSON at `/<name>j`, a page at `/<name>z`.
 *
 * @module
 */
import {
  answer,
  type ComponentChildren,
  h,
  json,
  page,
  type Route,
  table,
  type VNode,
} from "../../kit/web/mod.ts";
import { reading } from "./access.ts";

/** The topics in the order of the links: path segment and heading. */
export const TOPICS = [
  ["home", "Process"],
  ["scope", "Logging"],
  ["mem", "Memory"],
  ["env", "Environment"],
  ["proc", "System"],
  ["arg", "Command line"],
  ["version", "Version"],
  ["signal", "Signals"],
] as const;

/** Path segment of a topic. */
export type TopicName = typeof TOPICS[number][0];

/** The two views of a topic. `read` returns their content. */
export function topicRoutes<T>(
  name: TopicName,
  read: () => T,
  show: (state: T) => ComponentChildren,
): Route[] {
  return [
    ...reading(`/${name}j`, () => json(read())),
    ...reading(`/${name}z`, () => topicPage(name, show(read()))),
  ];
}

/** A page of a topic, with links to all others. */
export function topicPage(name: TopicName, body: ComponentChildren, status = 200): Response {
  const title = TOPICS.find(([each]) => each === name)![1];
  return page({
    title,
    nav: [...TOPICS.map((topic) => link(topic, name))],
    body: [body, h("p", null, h("a", { href: `/${name}j/` }, "as JSON"))],
    forms: true,
    status,
  });
}

function link([name, title]: typeof TOPICS[number], here: TopicName): ComponentChildren {
  const current = name === here ? { "aria-current": "page" as const } : {};
  return h("a", { href: `/${name}z/`, ...current }, title);
}

/** Redirects after a form, so that reloading does not send it again. */
export function seeOther(path: string): Response {
  return answer(null, "", { status: 303, headers: { location: path } });
}

/** A table of the members of an object. */
export function facts(caption: string, state: object): VNode {
  const rows = Object.entries(state).map(([key, value]) => [key, h("code", null, shown(value))]);
  return table({ caption, columns: ["Name", "Value"], rows });
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A form with one button; with `sure`, a box must be checked first. */
export function button(action: string, label: string, sure?: string): ComponentChildren {
  const box = h("input", { type: "checkbox", required: true });
  return h("form", { method: "post", action }, [
    sure === undefined ? null : h("label", null, [box, ` ${sure}`]),
    h("button", { type: "submit" }, label),
  ]);
}
