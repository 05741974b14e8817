import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { formatTime } from '#shared/text/format.ts'
import { useSession } from '../../state/hooks/hooks.tsx'
import { hueOf } from '../../state/store/agent-hues.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import type { WorkItem } from '../list/work-list.ts'
import { type DrawnLane, drawTimeline, readPalette } from './draw-timeline.ts'
import { eventText } from './event-text.ts'
import { stepInGraph } from './keys.ts'
import { type GraphNode, type Lanes, nodeKey } from './lanes.ts'
import { laneHeight, type Span, type TimelineLane } from './timeline-lanes.ts'
import type { TimelineView } from './use-timeline-view.ts'

const labels = strings.branches
/** With more events in sight than this, only the one that Tab leads to is a button; the others are only drawn. */
const buttonsAtMost = 250
/** Pixels. */
const buttonWidth = 14
const ended: ReadonlySet<string> = new Set(['conflict', 'overlap', 'clean', 'failed', 'merged'])

interface BranchGraphProps {
  readonly nodes: Lanes
  readonly lanes: readonly TimelineLane[]
  readonly items: ReadonlyMap<BranchId, WorkItem>
  readonly spansOf: (id: BranchId) => readonly Span[]
  /** The place of a moment in pixels from the left edge of the lanes. */
  readonly placeOf: (time: number) => number
  readonly cuts: readonly number[]
  readonly view: TimelineView
  readonly gutter: number
  readonly selected: Branch | null
  readonly chosen: GraphNode | null
  readonly onChoose: (node: GraphNode) => void
  /** Called when an arrow key moves to the node. Only Enter chooses it for a comparison. */
  readonly onReach: (node: GraphNode) => void
}

/** The lanes on a canvas, with a button over each event in sight. */
export function BranchGraph(props: BranchGraphProps): ReactNode {
  const { nodes, lanes, items, spansOf, placeOf, cuts, view, gutter, selected, chosen, onChoose, onReach } = props
  const box = useRef<HTMLElement>(null)
  const goTo = useRef<string | null>(null)
  const order = useMemo(() => lanes.map(({ branch }) => branch.id), [lanes])
  const rowOf = useMemo(() => rowsOf(lanes), [lanes])
  const reached = chosen ?? nodes.nodes.get(selected?.id ?? (order[0] as BranchId))?.at(-1) ?? null
  const inSight = nodesInSight(props)
  const isDense = inSight.length > buttonsAtMost
  const buttons = isDense ? [] : [...inSight]
  if (reached && !buttons.some((node) => nodeKey(node) === nodeKey(reached))) buttons.push(reached)

  useEffect(() => {
    if (goTo.current === null) return
    const button = box.current?.querySelector<HTMLElement>(`[data-node="${goTo.current}"]`)
    button?.focus()
    button?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    if (button) goTo.current = null
  })
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const key = (event.target as HTMLElement).dataset.node
    const node = buttons.find((one) => nodeKey(one) === key)
    const next = node && stepInGraph(event.key, node, nodes, order)
    if (!next) return
    event.preventDefault()
    goTo.current = nodeKey(next)
    onReach(next)
  }
  function chooseNearest(x: number, row: number): void {
    const near = inSight
      .filter(({ branchId }) => rowOf.get(branchId) === row)
      .toSorted((a, b) => Math.abs(placeOf(a.event.at) - x) - Math.abs(placeOf(b.event.at) - x))[0]
    if (near && Math.abs(placeOf(near.event.at) - x) < buttonWidth) onChoose(near)
  }
  return (
    <section
      ref={box}
      aria-label={labels.graph}
      onKeyDown={onKeyDown}
      style={{ left: gutter }}
      className="absolute inset-y-0 right-0"
    >
      <LaneCanvas
        lanes={lanes}
        rowOf={rowOf}
        nodes={nodes}
        items={items}
        spansOf={spansOf}
        placeOf={placeOf}
        cuts={cuts}
        view={view}
        gutter={gutter}
        selected={selected}
        onPoint={isDense ? chooseNearest : null}
      />
      {buttons.map((node) => {
        const row = rowOf.get(node.branchId) ?? 0
        const isRoot = node.branchId === order[0]
        const name = isRoot ? labels.workspace : (lanes[row]?.branch.name ?? '')
        const text = eventText(node.event, isRoot)
        const isChosen = chosen !== null && nodeKey(chosen) === nodeKey(node)
        return (
          <button
            key={nodeKey(node)}
            type="button"
            data-node={nodeKey(node)}
            tabIndex={reached && nodeKey(reached) === nodeKey(node) ? 0 : -1}
            aria-pressed={isChosen}
            title={`${text} · ${formatTime(node.event.at)}`}
            onClick={() => onChoose(node)}
            style={{
              left: placeOf(node.event.at) - buttonWidth / 2,
              top: row * laneHeight,
              width: buttonWidth,
              height: laneHeight,
            }}
            className={classNames(
              'absolute rounded-sm hover:outline hover:outline-accent',
              isChosen && 'outline-2 outline-accent',
            )}
          >
            <span className="sr-only">
              <VisibleText text={name} />
              {': '}
              <span>
                <VisibleText text={text} />
              </span>
              {`, ${formatTime(node.event.at)}`}
            </span>
          </button>
        )
      })}
    </section>
  )
}

function nodesInSight({ nodes, lanes, placeOf, view, gutter }: BranchGraphProps): readonly GraphNode[] {
  const first = Math.max(Math.floor(view.top / laneHeight), 0)
  const last = Math.ceil((view.top + view.height) / laneHeight)
  const isInSight = ({ event }: GraphNode): boolean => {
    const x = placeOf(event.at)
    return x > view.left - buttonWidth && x < view.left + view.width - gutter + buttonWidth
  }
  return lanes.slice(first, last).flatMap(({ branch }) => (nodes.nodes.get(branch.id) ?? []).filter(isInSight))
}

/** The rows of all branches. Those of a folded group share one. */
function rowsOf(lanes: readonly TimelineLane[]): ReadonlyMap<BranchId, number> {
  return new Map(lanes.flatMap(({ branch, group }, row) => (group ?? [branch]).map(({ id }) => [id, row] as const)))
}

type LaneCanvasProps = Omit<BranchGraphProps, 'chosen' | 'onChoose' | 'onReach'> & {
  readonly rowOf: ReadonlyMap<BranchId, number>
  /** Called with the place and the row that a person clicked; null where buttons take the clicks. */
  readonly onPoint: ((x: number, row: number) => void) | null
}

function LaneCanvas(props: LaneCanvasProps): ReactNode {
  const { lanes, rowOf, nodes, items, spansOf, placeOf, cuts, view, gutter, selected, onPoint } = props
  const { store } = useSession()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const width = Math.max(view.width - gutter, 0)

  useEffect(() => {
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-contrast'] })
    const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
    for (const list of media) list.addEventListener('change', redraw)
    return () => {
      theme.disconnect()
      for (const list of media) list.removeEventListener('change', redraw)
    }
  }, [])

  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || width === 0) return
    const dots = window.devicePixelRatio || 1
    const [across, down] = [Math.round(width * dots), Math.round(view.height * dots)]
    if (element.width !== across) element.width = across
    if (element.height !== down) element.height = down
    context.setTransform(dots, 0, 0, dots, 0, 0)
    const firstRow = Math.max(Math.floor(view.top / laneHeight) - 1, 0)
    const lastRow = Math.min(Math.ceil((view.top + view.height) / laneHeight), lanes.length - 1)
    const app = store.getState()
    const drawn = lanes.slice(firstRow, lastRow + 1).map(({ branch, group }): DrawnLane => {
      const state = items.get(branch.id)?.state
      const hue = branch.parentId === null ? null : hueOf(app, branch.name)
      return {
        hue,
        spans: (group ?? [branch]).map(({ id }) => spansOf(id)),
        nodes: nodes.nodes.get(branch.id) ?? [],
        parentRow: branch.parentId === null ? null : (rowOf.get(branch.parentId) ?? null),
        end: group === null && state && ended.has(state) ? state : null,
        selected: branch.id === selected?.id,
      }
    })
    drawTimeline({
      context,
      palette: readPalette(element.parentElement ?? element),
      lanes: drawn,
      firstRow,
      top: view.top,
      width,
      height: view.height,
      placeOf: (time) => placeOf(time) - view.left,
      cuts: cuts.map((cut) => cut - view.left),
    })
  })
  return (
    <canvas
      ref={canvas}
      aria-hidden
      onClick={({ nativeEvent: { offsetX, offsetY } }) =>
        onPoint?.(offsetX + view.left, Math.floor((offsetY + view.top) / laneHeight))
      }
      style={{ left: view.left, top: view.top, width, height: view.height }}
      className="absolute"
    />
  )
}
