/**
 * `/memj`, `/memz`: the heap of the process, and garbage collection on request.
 *
 * @module
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ComponentChildren, h, type Route, table, text } from "../../kit/web/mod.ts";
import { changing } from "./access.ts";
import { button, facts, seeOther, topicRoutes } from "./topic.ts";

/** Sizes in bytes. */
export interface MemoryState {
  /** Memory of the whole process. */
  readonly resident: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  /** Heap limit, at which the process ends. */
  readonly heapLimit: number;
  /** Memory outside of the heap that heap objects reference. */
  readonly external: number;
  /** Full garbage collections since the facility started. */
  readonly collections: number;
  readonly spaces: readonly {
    readonly name: string;
    readonly size: number;
    readonly used: number;
  }[];
}

/** Routes of the topic. */
export function memoryRoutes(collections: () => number): Route[] {
  return [
    ...topicRoutes("mem", () => memoryState(collections()), memoryPage),
    changing("PUT", "/memj/forcecollection", () => force(() => text("", { status: 202 }))),
    changing("POST", "/memz/forcecollection", () => force(() => seeOther("/memz/"))),
  ];
}

/** Starts counting full garbage collections: each one finalizes an unreferenced object. */
export function countCollections(): () => number {
  let count = -1;
  const registry = new FinalizationRegistry(() => plant());
  const plant = () => {
    count++;
    registry.register({}, undefined);
  };
  plant();
  return () => count;
}

function memoryState(collections: number): MemoryState {
  const { rss, heapTotal, heapUsed, external } = Deno.memoryUsage();
  return {
    resident: rss,
    heapTotal,
    heapUsed,
    heapLimit: getHeapStatistics().heap_size_limit,
    external,
    collections,
    spaces: getHeapSpaceStatistics().map((space) => ({
      name: space.space_name,
      size: space.space_size,
      used: space.space_used_size,
    })),
  };
}

function force(done: () => Response): Response {
  const collect = collector();
  if (collect === undefined) {
    return text("this runtime does not let programs collect garbage\n", { status: 501 });
  }
  collect();
  return done();
}

/** The engine's collector, which is available in contexts created after its flag was set. */
function collector(): (() => void) | undefined {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
  return typeof found === "function" ? () => void found() : undefined;
}

function memoryPage({ spaces, ...sizes }: MemoryState): ComponentChildren {
  return [
    facts("Memory in bytes", sizes),
    button("/memz/forcecollection", "Collect garbage now"),
    h("h2", null, "Spaces of the heap"),
    table({
      caption: "Bytes by space",
      columns: ["Space", "Size", "Used"],
      rows: spaces.map(({ name, size, used }) => [name, size, used]),
    }),
  ];
}
