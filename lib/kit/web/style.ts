/**
 * The one style sheet of all pages: system fonts, light and dark by what the
 * reader's system says, nothing loaded.
 *
 * @module
 */
export const STYLE: string = `
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2128; --mute: #59636e; --line: #d5dae1; --soft: #f4f6f9; --link: #0b57a4; --bad: #b3261e; --bad-soft: #fdecea; --good: #1b6e3c; --good-soft: #e7f5ec; --warn: #7a4d00; --warn-soft: #fff4dc; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161b; --ink: #e3e8ee; --mute: #9aa5b1; --line: #333b45; --soft: #1b2128; --link: #8ab8f0; --bad: #ff9a91; --bad-soft: #3a1d1b; --good: #7ddc9c; --good-soft: #16301f; --warn: #f0c36d; --warn-soft: #33280f; } }
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .4rem .8rem; z-index: 1; }
header { background: var(--soft); border-bottom: 1px solid var(--line); padding: 0 1.5rem; }
header nav { display: flex; flex-wrap: wrap; gap: 0 1.1rem; max-width: 88rem; margin: 0 auto; }
.bar { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; max-width: 88rem; margin: 0 auto; padding: .2rem 0 .35rem; color: var(--mute); font-size: 13px; } .bar [aria-current] { color: var(--ink); font-weight: 600; }
header nav a { padding: .55rem 0 .45rem; border-bottom: 2px solid transparent; color: var(--ink); text-decoration: none; }
header nav a:hover { border-color: var(--line); } header nav [aria-current] { border-color: var(--link); font-weight: 600; }
main { max-width: 88rem; margin: 0 auto; padding: 1rem 1.5rem 3rem; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: .35rem 0 .75rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
p { max-width: 60rem; margin: .5rem 0; } .mute { color: var(--mute); }
a { color: var(--link); text-decoration-color: color-mix(in srgb, var(--link) 40%, transparent); text-underline-offset: 3px; } a:hover { text-decoration-color: currentColor; } :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
.crumbs ol { display: flex; flex-wrap: wrap; gap: .25rem .4rem; margin: 0; padding: 0; list-style: none; color: var(--mute); font-size: 13px; }
.crumbs li + li::before { content: "/"; margin-right: .4rem; color: var(--mute); }
form { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: center; margin: .75rem 0; }
label { display: inline-flex; gap: .4rem; align-items: center; } label.wide { display: block; width: 100%; }
button, select, input, textarea { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 4px; padding: .25rem .55rem; accent-color: var(--link); }
button { background: var(--soft); cursor: pointer; } textarea { display: block; width: 100%; min-height: 14rem; margin-top: .3rem; font: 13px/1.45 ui-monospace, monospace; }
.scroll { overflow-x: auto; margin: .75rem 0; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .75rem; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .28rem .75rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
thead th { background: var(--soft); color: var(--mute); font-size: 12px; font-weight: 600; white-space: nowrap; } tbody th { font-weight: 500; } tbody tr:hover { background: var(--soft); }
td.number, th.number { text-align: right; white-space: nowrap; }
code, pre { font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; } td code, th code { overflow-wrap: break-word; } pre { white-space: pre-wrap; margin: .75rem 0; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); } .warn { color: var(--warn); }
del { color: var(--bad); text-decoration-color: var(--bad); } ins { color: var(--good); text-decoration: none; }
.badge { display: inline-block; padding: 0 .45rem; border-radius: 1rem; background: var(--soft); border: 1px solid var(--line); white-space: nowrap; font-size: 13px; font-weight: 500; vertical-align: middle; } .badge.good { background: var(--good-soft); border-color: transparent; } .badge.bad { background: var(--bad-soft); border-color: transparent; } .badge.warn { background: var(--warn-soft); border-color: transparent; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.6rem, 1fr)); gap: .6rem; margin: .75rem 0 1rem; padding: 0; list-style: none; }
.tiles li { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; } .tiles strong { display: block; font-size: 1.3rem; line-height: 1.25; } .tiles li.bad { background: var(--bad-soft); border-color: transparent; color: inherit; font-weight: inherit; } .tiles li.bad strong { color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; } dt { color: var(--mute); } dd { margin: 0; overflow-wrap: anywhere; }
.even { table-layout: fixed; } .even th:first-child { width: 46%; }
details { margin: .75rem 0; } summary { cursor: pointer; font-weight: 600; padding: .35rem 0; }
.list { display: flex; flex-wrap: wrap; gap: .2rem .9rem; margin: .5rem 0; padding: 0; list-style: none; }
.at { white-space: nowrap; } td .at, li .at { display: inline-block; max-width: 100%; overflow-x: auto; vertical-align: bottom; }
.banner { border-radius: 6px; padding: .6rem .9rem; margin: .75rem 0; max-width: none; font-weight: 600; } .banner.bad { background: var(--bad-soft); } .banner.good { background: var(--good-soft); } .banner.warn { background: var(--warn-soft); }
.troubles { margin: .75rem 0; padding: 0; list-style: none; } .troubles > li { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px; padding: .5rem .9rem; margin: .5rem 0; overflow-wrap: anywhere; } .troubles > li.warn { border-left-color: var(--warn); color: inherit; } .troubles strong { font-weight: 600; } .troubles dl { margin: .3rem 0; } .troubles p { max-width: none; margin: .2rem 0; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; } details.said { margin: 0; } details.said > summary, .tree summary { font-weight: 400; padding: 0; }
.tree { padding: .5rem .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; margin: .75rem 0; } .tree details { margin: 0; } .tree details > :not(summary) { margin-left: 1.1rem; } .tree pre { margin: 0; padding: 0; border: 0; background: none; }
.picture { display: block; font: 11px ui-monospace, "DejaVu Sans Mono", monospace; } .picture text { color: var(--ink); fill: currentColor; font-weight: 400; } .picture text.bad { color: var(--bad); } .picture text.warn { color: var(--warn); } .picture text.good { color: var(--good); }
.graph .label { font-size: 12px; font-weight: 600; } .graph a .label { color: var(--link); } .graph .labels text { paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
.node rect { fill: var(--soft); stroke: var(--line); } .node.gateway rect { stroke: var(--link); } .node.host rect, .node.workload rect { fill: var(--ground); stroke-dasharray: 4 3; stroke: var(--mute); } .node.good rect { stroke: var(--good); } .node.warn rect { fill: var(--warn-soft); stroke: var(--warn); } .node.bad rect { fill: var(--bad-soft); stroke: var(--bad); } .node.focus rect { stroke-width: 3px; } a.node:focus-visible { outline: none; } a.node:focus-visible rect { stroke: var(--link); stroke-width: 4px; } a.node:hover .label { text-decoration: underline; }
.line { fill: none; stroke: var(--mute); stroke-width: 1.3px; } .line.import { stroke-dasharray: 6 4; } .line.mirror { stroke-dasharray: 2 3; } .line.waypoint { stroke-dasharray: 10 3 2 3; stroke-width: 2px; } .line.seen { stroke: var(--link); stroke-width: 2.4px; } .line.warn { stroke: var(--warn); } .line.bad { stroke: var(--bad); } .arrow { fill: var(--mute); } .arrow.seen { fill: var(--link); } .arrow.warn { fill: var(--warn); } .arrow.bad { fill: var(--bad); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem; margin: .5rem 0; } figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; min-width: 0; } figcaption { font-weight: 600; font-size: 13px; } figure .mute { font-size: 13px; }
.plot { width: 100%; height: 3rem; margin: .2rem 0; } .plot path { fill: none; stroke: var(--link); stroke-width: 1.6px; vector-effect: non-scaling-stroke; } .plot .bars { stroke-width: 2px; } .plot .bad { stroke: var(--bad); } .plot .axis { stroke: var(--line); stroke-width: 1px; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0; padding: 0; list-style: none; color: var(--mute); font-size: 13px; } .legend li { display: inline-flex; gap: .4rem; align-items: center; }
@media (max-width: 44rem) {
  header, main { padding-left: .8rem; padding-right: .8rem; } h1 { font-size: 1.15rem; }
  header nav { gap: 0 .9rem; } header nav a { padding: .3rem 0 .2rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .35rem; }
  table, tbody, caption, tbody th { display: block; width: auto; } .even th:first-child { width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .35rem .75rem; border-top: 1px solid var(--line); }
  tbody th { flex: 1 0 100%; padding: 0; border: 0; overflow-wrap: anywhere; } td code, th code { overflow-wrap: anywhere; } td { display: block; min-width: 0; padding: 0; border: 0; overflow-wrap: anywhere; } td.number { text-align: left; white-space: normal; }
  td[data-label]::before { content: attr(data-label); margin-right: .35rem; color: var(--mute); font-size: 12px; }
  form, label:not(.wide) { flex-wrap: wrap; } input, select { max-width: 100%; min-width: 0; }
}
.pages { display: flex; gap: 1rem; margin: .5rem 0; }
`;
