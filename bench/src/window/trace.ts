/** One event of Chromium's trace format; times in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** Microseconds of the thread's own processor time. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** One turn of a main thread's loop, in the thread's own time. Time that other programs took does not count. */
export interface MainTask {
  readonly ms: number
  /** What is left of `ms` without style, layout and painting: the scripts, and the browser's work around them. */
  readonly script: number
}

/** The events in which the browser computes styles, lays out and paints. */
const rendering = new Set([
  'UpdateLayoutTree',
  'Layout',
  'HitTest',
  'PrePaint',
  'Paint',
  'Layerize',
  'UpdateLayer',
  'Commit',
])

/** The tasks of the page's main thread, longest first. The page is the busiest of all renderers. */
export function mainTasks({ traceEvents }: { readonly traceEvents: readonly TraceEvent[] }): readonly MainTask[] {
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const busiest = mains
    .map((main) => tasksOf(traceEvents, main))
    .toSorted((a, b) => total(b) - total(a))
    .at(0)
  if (!busiest || busiest.length === 0) throw new Error('The trace has no tasks of a page')
  return busiest.toSorted((a, b) => b.ms - a.ms)
}

function tasksOf(events: readonly TraceEvent[], { pid, tid }: TraceEvent): readonly MainTask[] {
  const own = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X')
  const rendered = outermost(own.filter(({ name }) => rendering.has(name)))
  return own.filter(isTask).map((task) => {
    const inside = rendered.filter(({ ts }) => ts >= task.ts && ts < endOf(task))
    const ms = threadMs(task)
    return { ms, script: inside.reduce((left, event) => left - threadMs(event), ms) }
  })
}

/** The events that no other one contains. Layout that needs styles contains their computation. */
function outermost(events: readonly TraceEvent[]): readonly TraceEvent[] {
  let end = Number.NEGATIVE_INFINITY
  return events
    .toSorted((a, b) => a.ts - b.ts || endOf(b) - endOf(a))
    .filter((event) => {
      if (event.ts < end) return false
      end = endOf(event)
      return true
    })
}

function endOf({ ts, dur }: TraceEvent): number {
  return ts + (dur ?? 0)
}

function threadMs({ dur, tdur }: TraceEvent): number {
  return (tdur ?? dur ?? 0) / 1_000
}

function isTask({ name }: TraceEvent): boolean {
  return name === 'ThreadControllerImpl::RunTask' || name === 'RunTask'
}

function total(tasks: readonly MainTask[]): number {
  return tasks.reduce((sum, { ms }) => sum + ms, 0)
}
