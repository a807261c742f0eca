/**
 * The answer to "is anything wrong, since when, because of which edit, which proxies".
 *
 * @module
 */
import { type ComponentChildren, h } from "../../../kit/web/mod.ts";
import type { Culprit, Trouble } from "../trouble.ts";
import { longText } from "./collapse.ts";
import { ago, count, facts, proxyLink, refLink } from "./layout.ts";
import { position } from "./positions.ts";

/** Listed troubles; their pages have the rest. */
const SHOWN = 6;
/** Named proxies of a trouble. */
const PROXIES = 5;

/** Shows the troubles: each with its time, its edits and its proxies. */
export function troublePart(
  troubles: readonly Trouble[],
  proxies: number,
  now: number,
): ComponentChildren {
  if (troubles.length === 0) return healthyBanner(proxies);
  const oldest = troubles.reduce<number | undefined>(
    (first, { since }) => since === undefined ? first : Math.min(first ?? since, since),
    undefined,
  );
  const tone = troubles.some((one) => one.tone === "bad") ? "bad" : "warn";
  const shown = spread(troubles);
  const left = troubles.length - shown.length;
  return h("section", { "aria-label": "Problems" }, [
    h("p", { class: `banner ${tone === "bad" ? "bad" : "warn"}`, role: "status" }, [
      count(troubles.length, "problem", "problems"),
      oldest === undefined ? null : ["; the oldest began ", ago(oldest, now), " ago"],
    ]),
    h(
      "ul",
      { class: "troubles" },
      shown.map((one) =>
        h("li", { class: one.tone === "warn" ? "warn" : undefined }, [
          troubleItem(one, now),
        ])
      ),
    ),
    left > 0
      ? h("p", null, h("a", { href: "/debug/faults" }, `${left} more on the page of problems`))
      : null,
  ]);
}

/**
 * Says which proxies the page knows, so that it is not taken for the state of all. A report of an agent
 * reaches one daemon, which keeps it in memory.
 */
export function scopePart(startedAt: number, now: number): ComponentChildren {
  return h("p", { class: "mute" }, [
    "This page knows the proxies that are connected to this daemon, and Envoys that exited since it " +
    "started, ",
    ago(startedAt, now),
    " ago. Other daemons know others: meshctl proxy-status asks all of them.",
  ]);
}

/** Without proxies nothing can be wrong with them, which a reader must know. */
function healthyBanner(proxies: number): ComponentChildren {
  const documents = "no document is rejected, and no computation fails.";
  return proxies === 0
    ? h("p", { class: "banner warn", role: "status" }, `No proxy is connected; ${documents}`)
    : h("p", { class: "banner good", role: "status" }, [
      `Nothing is wrong: no proxy rejects its configuration, ${documents}`,
    ]);
}

/** Takes of each page's troubles one, then of each a second one, until the list is full. */
function spread(troubles: readonly Trouble[]): Trouble[] {
  const byPage = [...Map.groupBy(troubles, ({ page }) => page).values()];
  const found = new Set<Trouble>();
  for (let at = 0; found.size < Math.min(SHOWN, troubles.length); at++) {
    for (const list of byPage) {
      const one = list[at];
      if (one !== undefined && found.size < SHOWN) found.add(one);
    }
  }
  return troubles.filter((one) => found.has(one));
}

function troubleItem(one: Trouble, now: number): ComponentChildren {
  const { text, message, remedy, since, culprits, revision, proxies, page } = one;
  const rows: (readonly [string, ComponentChildren])[] = [
    ["Since", since === undefined ? "unknown" : [date(since), ", for ", ago(since, now)]],
  ];
  if (one.position !== undefined) rows.push(["Position", position(one.position)]);
  if (culprits.length > 0) {
    const label = one.position === undefined ? "Cause" : "Object";
    rows.push([label, culprits.map((c) => h("div", null, culprit(c, now)))]);
  }
  if (revision !== undefined) {
    rows.push(["Revision", h("a", { href: `/debug/history?revision=${revision}` }, revision)]);
  }
  if (proxies !== undefined) {
    rows.push(["Proxies", proxies.length === 0 ? "none is affected" : proxyList(proxies)]);
  }
  return [
    h("strong", null, h("a", { href: page }, text)),
    message === undefined ? null : h("p", null, longText(message)),
    remedy === undefined ? null : h("p", null, longText(remedy)),
    facts(rows),
  ];
}

function date(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function culprit({ object, generation, publishedAt }: Culprit, now: number): ComponentChildren {
  return [
    refLink(object),
    generation === undefined ? null : `, generation ${generation}`,
    publishedAt === undefined ? null : [", published ", ago(publishedAt, now), " ago"],
  ];
}

function proxyList(proxies: readonly string[]): ComponentChildren {
  const more = proxies.length - PROXIES;
  return [
    `${proxies.length}: `,
    ...proxies.slice(0, PROXIES).flatMap((id, at) => [at === 0 ? "" : ", ", proxyLink(id)]),
    more > 0 ? ` and ${more} more` : null,
  ];
}
