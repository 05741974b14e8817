import type { FileDiff, LineSource } from '#shared/contract/views/files.ts'
import type { Show } from './html.ts'
import type { ReviewedCheck, ReviewedFile, ReviewedLane, ReviewFacts } from './review-facts.ts'

/**
 * What a person reviews of a thread, as parts of a page: what changed with who wrote each line, the checks, and the branches in
 * time. Nothing is loaded and nothing runs.
 */
export function reviewSections({ files, checks, lanes }: ReviewFacts, show: Show): string {
  const parts = [
    ...(files.length > 0 ? [changesSection(files, show)] : []),
    ...(checks.length > 0 ? [checksSection(checks, show)] : []),
    ...(lanes.length > 1 || (lanes[0]?.events.length ?? 0) > 1 ? [timelineSection(lanes, show)] : []),
  ]
  return parts.join('\n')
}

function changesSection(files: readonly ReviewedFile[], show: Show): string {
  const sum = (of: 'added' | 'removed') => files.reduce((all, { change }) => all + (change[of] ?? 0), 0)
  const shown = files.map((file) => fileDetails(file, show, files.length <= openFiles))
  return `<section id="changes">
<h2>Changes</h2>
<p>${files.length} ${files.length === 1 ? 'file' : 'files'} <span class="added">+${sum('added')}</span> <span class="removed">−${sum('removed')}</span></p>
${shown.join('\n')}
</section>`
}

/** With more files each is opened by hand. */
const openFiles = 20

function fileDetails({ change, diff, authors }: ReviewedFile, show: Show, isOpen: boolean): string {
  const { path, from, kind, added, removed } = change
  const name = from ? `${show(from)} → ${show(path)}` : show(path)
  const counts = [
    ...(added ? [` <span class="added">+${added}</span>`] : []),
    ...(removed ? [` <span class="removed">−${removed}</span>`] : []),
  ].join('')
  const lines = diff ? diffTable(diff, authors, show) : '<p class="quiet">It has no lines to show.</p>'
  return `<details class="file"${isOpen ? ' open' : ''}>
<summary>${name} <span>${kind}</span>${counts}</summary>
${lines}
</details>`
}

function diffTable({ hunks, truncated }: FileDiff, authors: ReviewedFile['authors'], show: Show): string {
  const rows = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => {
    let line = newLines === 0 ? newStart + 1 : newStart
    const head = `<tr class="hunk"><td></td><td></td><td>@@ -${oldStart},${oldLines} +${newStart},${newLines} @@</td></tr>`
    let last: LineSource | null | undefined
    // A secret may have several lines, so all of a hunk is prepared at once.
    const texts = show(lines.join('\n')).split('\n')
    return [
      head,
      ...(texts.length === lines.length ? texts : lines.map(() => '(replaced)')).map((text, at) => {
        const mark = lines[at]?.[0] ?? ' '
        const isNew = mark === '+' || mark === ' '
        const author = mark === '+' ? (authors[line - 1] ?? null) : null
        const said = author && author !== last ? authorOf(author, show) : ''
        last = mark === '+' ? author : undefined
        const number = isNew ? String(line) : ''
        if (isNew) line += 1
        return `<tr class="${classes[mark] ?? 'note'}"><td class="author">${said}</td><td>${number}</td><td>${text}</td></tr>`
      }),
    ]
  })
  const more = truncated ? '<p class="quiet">It is longer than this.</p>' : ''
  return `<table class="diff">${rows.join('\n')}</table>${more}`
}

const classes: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', ' ': 'same' }

/** Who wrote a line, with a way to the call in the conversation. */
function authorOf({ agent, branch, tool, how, callId, task, decision }: LineSource, show: Show): string {
  const what = tool ?? (how === 'merge' ? 'a merge' : 'by hand')
  const decided = decision === null ? '' : ` · ${decision}`
  const title = `${agent} on ${branch}: ${what}${decided}${task === '' ? '' : ` – ${task}`}`
  const words = show(how === 'call' ? agent : what)
  return callId === null
    ? `<span title="${show(title)}">${words}</span>`
    : `<a href="#${callAnchor(callId)}" title="${show(title)}">${words}</a>`
}

/** Where a call stands in the page. Ids of calls are those of models, so only letters and digits of them are used. */
export function callAnchor(callId: string): string {
  return `call-${callId.replace(/[^\w-]/g, '')}`
}

function checksSection(checks: readonly ReviewedCheck[], show: Show): string {
  const rows = checks.map(({ name, required, state, result }) => {
    const output = result && state !== 'none' ? `<pre>${show(result.output.slice(-shownOutput))}</pre>` : ''
    const word = `<span class="${state}">${state === 'none' ? 'not run' : state}</span>`
    const note = required ? '' : ' <span>not required</span>'
    return `<details${state === 'red' ? ' open' : ''}><summary>${show(name)} ${word}${note}</summary>${output}</details>`
  })
  return `<section id="checks">\n<h2>Checks</h2>\n${rows.join('\n')}\n</section>`
}

/** Characters of what a check printed: the last ones say what failed. */
const shownOutput = 8_000

const lane = { height: 22, left: 150, right: 640 } as const

/** The branches as lanes from left to right, with a dot for each change and a line where one was forked or merged. */
function timelineSection(lanes: readonly ReviewedLane[], show: Show): string {
  const times = lanes.flatMap(({ events }) => events.map(({ at }) => at))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const x = (at: number) => lane.left + ((at - first) / Math.max(1, last - first)) * (lane.right - lane.left)
  const rows = new Map(lanes.map(({ branchId }, row) => [branchId, row]))
  const y = (row: number) => row * lane.height + lane.height / 2 + 4
  const joins = lanes.flatMap(({ parentId, events }, row) => {
    const parent = parentId === null ? undefined : rows.get(parentId)
    return events.flatMap(({ at, kind }) =>
      parent !== undefined && (kind === 'forked' || kind === 'merged')
        ? [`<line x1="${x(at)}" x2="${x(at)}" y1="${y(parent)}" y2="${y(row)}" class="join"/>`]
        : [],
    )
  })
  const drawn = lanes.map(({ name, events }, row) => {
    const [begin, end] = [events[0]?.at ?? first, events.at(-1)?.at ?? first]
    const dots = events
      .filter(({ kind }) => kind !== 'forked')
      .map(
        ({ at, kind }) =>
          `<circle cx="${x(at)}" cy="${y(row)}" r="3.5" class="${kind}"><title>${kind} ${shownTime(at)}</title></circle>`,
      )
    return `<text x="0" y="${y(row) + 4}"><title>${show(name)}</title>${shortName(name, show)}</text>
<line x1="${x(begin)}" x2="${x(end)}" y1="${y(row)}" y2="${y(row)}" class="lane"/>${dots.join('')}`
  })
  const height = lanes.length * lane.height + 8
  const kinds = (['changed', 'merged', 'rewound'] as const).filter((kind) =>
    lanes.some(({ events }) => events.some((event) => event.kind === kind)),
  )
  // What a dot hides must be drawn before it.
  return `<section id="timeline">
<h2>Branches</h2>
<div class="wide"><svg viewBox="0 0 ${lane.right + 10} ${height}" role="img" aria-label="${lanes.length} branches from ${shownTime(first)} to ${shownTime(last)}">
${joins.join('')}
${drawn.join('\n')}
</svg></div>
<p class="quiet legend">${kinds.map((kind) => `<span class="${kind}">${kind}</span>`).join(' ')} <span class="plain">${shownTime(first)} – ${shownTime(last)}</span></p>
</section>`
}

/** Always in UTC, since nobody knows where the page is read. */
function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Only a name without anything to replace is cut: a piece of a secret would not be known as one. */
function shortName(name: string, show: Show): string {
  const shown = show(name)
  const letters = [...name]
  return shown === name && letters.length > 20 ? `${letters.slice(0, 19).join('')}…` : shown
}

export const reviewStyle = `
.added, .green { color: light-dark(#1a7f37, #57c06f) } .removed, .red { color: light-dark(#b3261e, #ff8a80) } .flaky, .stale { color: light-dark(#9a6700, #d8a23a) }
.quiet { color: var(--muted) } section > h2 { margin-top: 2rem } details.file { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .6rem; margin: .5rem 0 }
table.diff { width: 100%; margin: .4rem 0 0; table-layout: fixed; font: 12.5px/1.5 ui-monospace, monospace } table.diff td { border: 0; padding: 0 .4rem; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top }
table.diff td:nth-child(1) { width: 7rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; font: 11px/1.7 system-ui, sans-serif; color: var(--muted) } table.diff td:nth-child(2) { width: 2.5rem; text-align: right; color: var(--muted) }
tr.plus { background: light-dark(#e6f4ea, #16301f) } tr.minus { background: light-dark(#fce8e6, #3a1d1b) } tr.hunk td { color: var(--muted) }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: currentColor } svg .lane { stroke: var(--muted); stroke-width: 2 } svg .join { stroke: var(--line); stroke-width: 1.5 } svg .merged { fill: light-dark(#6f42c1, #b392f0) } svg .rewound { fill: light-dark(#9a6700, #d8a23a) }
.wide { overflow-x: auto } .wide svg { min-width: 34rem } .legend { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: .25rem 0; font-size: .8rem } .legend :not(.plain)::before { content: ''; display: inline-block; width: .55rem; height: .55rem; margin-right: .35rem; border-radius: 50%; background: light-dark(#1b1e23, #e4e7eb) } .legend .merged::before { background: light-dark(#6f42c1, #b392f0) } .legend .rewound::before { background: light-dark(#9a6700, #d8a23a) }
details.file > summary { overflow-wrap: anywhere }
:target { outline: 2px solid light-dark(#0b57d0, #8ab4f8); outline-offset: 2px } nav.parts { display: flex; gap: 1rem; flex-wrap: wrap } @media (max-width: 40rem) { table.diff td:nth-child(1) { width: 3.5rem } }`
