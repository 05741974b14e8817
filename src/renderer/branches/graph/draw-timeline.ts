import type { WorkState } from '../list/work-list.ts'
import type { GraphNode } from './lanes.ts'
import { laneHeight, type Span } from './timeline-lanes.ts'

/** The colours of a theme, as the page resolves them. */
export interface Palette {
  readonly canvas: string
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly good: string
  readonly warn: string
  readonly bad: string
  /** By number of the agent's colour; 0 is for the workspace. */
  readonly agents: readonly string[]
}

/** A lane ready to be drawn. Times are already places in pixels. */
export interface DrawnLane {
  readonly hue: number | null
  readonly spans: readonly (readonly Span[])[]
  readonly nodes: readonly GraphNode[]
  /** Rows of the branches that it was forked from, and merged into. */
  readonly parentRow: number | null
  /** What the branch needs once its agent is done; null while it runs and for the workspace. */
  readonly end: WorkState | null
  readonly selected: boolean
}

interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly palette: Palette
  /** Those in sight, from `firstRow` on. */
  readonly lanes: readonly DrawnLane[]
  readonly firstRow: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** The place of a moment in pixels from the left edge of the canvas. */
  readonly placeOf: (time: number) => number
  /** Places of cut pauses. */
  readonly cuts: readonly number[]
}

const [barHeight, mergedAt] = [10, laneHeight / 2]

/** Draws the visible lanes. The cost depends on what is visible. */
export function drawTimeline(drawing: Drawing): void {
  const { context, palette, lanes, firstRow, top, width, height, placeOf, cuts } = drawing
  context.clearRect(0, 0, width, height)
  context.lineWidth = 1
  context.strokeStyle = palette.line
  context.setLineDash([2, 4])
  for (const cut of cuts) if (cut > 0 && cut < width) stroke(context, [cut, 0], [cut, height])
  context.setLineDash([])
  for (const [place, lane] of lanes.entries()) {
    const row = firstRow + place
    const y = row * laneHeight - top + mergedAt
    const colour = palette.agents[lane.hue ?? 0] ?? palette.muted
    drawLife(drawing, lane, y, colour)
    for (const spans of lane.spans) {
      context.globalAlpha = lane.spans.length > 1 ? 0.35 : 1
      for (const span of spans) drawSpan(drawing, span, y, colour)
    }
    context.globalAlpha = 1
    drawLinks(drawing, lane, row, y, colour)
    drawEvents(drawing, lane, y)
    const last = lane.nodes.at(-1)
    const end = Math.max(
      last ? placeOf(last.event.at) : 0,
      ...lane.spans.flatMap((spans) => placeOf(spans.at(-1)?.end ?? 0)),
    )
    if (lane.end) drawEnd(context, palette, lane.end, end + 9, y)
  }
}

/** A thin line from the fork to the last event: the branch exists, but nobody works on it. */
function drawLife({ context, placeOf, palette }: Drawing, lane: DrawnLane, y: number, colour: string): void {
  const [first, last] = [lane.nodes[0], lane.nodes.at(-1)]
  if (!first || !last) return
  context.strokeStyle = lane.selected ? colour : palette.line
  stroke(context, [placeOf(first.event.at), y], [placeOf(last.event.at), y])
}

function drawSpan({ context, placeOf, width }: Drawing, { kind, start, end }: Span, y: number, colour: string): void {
  const from = Math.max(placeOf(start), -4)
  const to = Math.min(Math.max(placeOf(end), placeOf(start) + 3), width + 4)
  if (to < 0 || from > width) return
  context.fillStyle = colour
  context.strokeStyle = colour
  if (kind === 'working') context.fillRect(from, y - barHeight / 2, to - from, barHeight)
  else if (kind === 'queued') {
    context.setLineDash([2, 3])
    stroke(context, [from, y], [to, y])
    context.setLineDash([])
  } else {
    context.strokeRect(from + 0.5, y - barHeight / 2 + 0.5, to - from - 1, barHeight - 1)
    context.save()
    context.beginPath()
    context.rect(from, y - barHeight / 2, to - from, barHeight)
    context.clip()
    for (let x = from - barHeight; x < to; x += 5)
      stroke(context, [x, y + barHeight / 2], [x + barHeight, y - barHeight / 2])
    context.restore()
  }
}

/** Curves from the parent's lane at the fork, and back to it at each merge. */
function drawLinks(
  { context, placeOf, top, width }: Drawing,
  lane: DrawnLane,
  row: number,
  y: number,
  colour: string,
): void {
  if (lane.parentRow === null) return
  const parent = lane.parentRow * laneHeight - top + mergedAt
  context.strokeStyle = colour
  for (const { event } of lane.nodes) {
    if (event.kind !== 'fork' && event.kind !== 'merge' && event.kind !== 'force') continue
    const x = placeOf(event.at)
    if (x < -20 || x > width + 20) continue
    const bend = Math.min(10, (laneHeight * Math.abs(row - (lane.parentRow ?? 0))) / 2)
    context.beginPath()
    if (event.kind === 'fork') {
      context.moveTo(x - bend, parent)
      context.bezierCurveTo(x - bend, y, x - bend, y, x, y)
    } else {
      context.moveTo(x, y)
      context.bezierCurveTo(x + bend, y, x + bend, y, x + bend, parent)
    }
    context.stroke()
  }
}

/** Events of one kind that are closer than this look like one. In pixels. */
const oneDot = 0.25

function drawEvents({ context, placeOf, palette, width }: Drawing, { nodes }: DrawnLane, y: number): void {
  let [lastKind, lastX] = ['', 0]
  for (const { event } of nodes) {
    const x = placeOf(event.at)
    if (x < -4 || x > width + 4 || (event.kind === lastKind && Math.abs(x - lastX) < oneDot)) continue
    lastKind = event.kind
    lastX = x
    const isEdit = event.kind === 'work'
    context.beginPath()
    context.arc(x, y, isEdit ? 2.5 : 3.5, 0, 7)
    context.fillStyle = isEdit ? palette.canvas : event.kind === 'discard' ? palette.bad : palette.text
    context.fill()
    if (!isEdit) continue
    context.strokeStyle = palette.text
    context.stroke()
  }
}

/**
 * The end of a lane: a circle for clean, a diamond for a conflict, an open diamond for one that will come, a cross for a
 * failure, a ring for merged.
 */
function drawEnd(context: CanvasRenderingContext2D, palette: Palette, end: WorkState, x: number, y: number): void {
  const size = 4.5
  context.lineWidth = 2
  context.beginPath()
  if (end === 'clean' || end === 'merged') context.arc(x, y, size, 0, 7)
  else if (end === 'conflict' || end === 'overlap') {
    context.moveTo(x, y - size - 1)
    context.lineTo(x + size + 1, y)
    context.lineTo(x, y + size + 1)
    context.lineTo(x - size - 1, y)
    context.closePath()
  } else if (end === 'failed') {
    context.moveTo(x - size, y - size)
    context.lineTo(x + size, y + size)
    context.moveTo(x + size, y - size)
    context.lineTo(x - size, y + size)
  }
  context.fillStyle = end === 'conflict' ? palette.bad : palette.good
  context.strokeStyle = end === 'failed' ? palette.bad : end === 'overlap' ? palette.warn : palette.good
  if (end === 'clean' || end === 'conflict') context.fill()
  else context.stroke()
  context.lineWidth = 1
}

function stroke(
  context: CanvasRenderingContext2D,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  context.beginPath()
  context.moveTo(...from)
  context.lineTo(...to)
  context.stroke()
}

const agentColours = 12
let probed: { readonly key: string; readonly palette: Palette } | null = null

/** The colours of the present theme. Where the system chooses the colours, they are the system's. */
export function readPalette(element: HTMLElement): Palette {
  const { theme, contrast } = document.documentElement.dataset
  const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']
  const key = [theme, contrast, ...media.map((query) => matchMedia(query).matches)].join(' ')
  if (probed?.key === key) return probed.palette
  const probe = document.createElement('span')
  element.append(probe)
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const palette: Palette = {
    canvas: colour('canvas'),
    text: colour('text'),
    muted: colour('muted'),
    line: colour('line-strong'),
    good: colour('good'),
    warn: colour('warn'),
    bad: colour('bad'),
    agents: [colour('muted'), ...Array.from({ length: agentColours }, (_, at) => colour(`agent-${at + 1}`))],
  }
  probe.remove()
  probed = { key, palette }
  return palette
}
