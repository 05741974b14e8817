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
}

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
  return events
    .filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X' && isTask(event))
    .map(({ dur, tdur }) => ({ ms: (tdur ?? dur ?? 0) / 1_000 }))
}

function isTask({ name }: TraceEvent): boolean {
  return name === 'ThreadControllerImpl::RunTask' || name === 'RunTask'
}

function total(tasks: readonly MainTask[]): number {
  return tasks.reduce((sum, { ms }) => sum + ms, 0)
}
