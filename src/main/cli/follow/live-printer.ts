import type { ProjectEvent } from '#host/headless/run-task.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { createLiveRegion, type LiveRegion } from '../screen/live-region.ts'
import { createPaint } from '../screen/paint.ts'
import type { Line } from '../screen/spans.ts'
import { createEventLines } from './event-lines.ts'
import { createLayout } from './lay-out.ts'
import { liveRows } from './live-rows.ts'
import { type Outputs, type Printer, type TextPrinterOptions, writeAnswer, writeSummary } from './printer.ts'
import { problemOf, type ShownLine } from './shown-line.ts'
import { createTextStream } from './text-stream.ts'

/** Milliseconds between two drawings of the rows. */
const pace = 100
/** The rows of agents leave so many rows of the screen to the lines above. */
const rowsKept = 6

/** A printer whose last rows show what each agent does now. */
export interface LivePrinter extends Printer, Disposable {
  /** Lets `question` use the screen. What happens meanwhile is shown afterwards. */
  ask<Result>(question: (region: LiveRegion) => Promise<Result>): Promise<Result>
  /** Shows a problem of Coppice itself. */
  warn(sentence: string): void
  /** Draws the rows anew, after another program used the terminal. */
  refresh(): void
}

export interface LivePrinterOptions extends TextPrinterOptions {
  readonly state: () => ProjectState
  /** The main agent's thread; null until it has begun. */
  readonly root: () => ThreadId | null
  readonly contextWindow: () => number | null
  readonly now: () => number
}

export function createLivePrinter(outputs: Outputs, options: LivePrinterOptions): LivePrinter {
  const { screen } = outputs
  const region = createLiveRegion(screen, createPaint(screen.colourDepth), (text) => outputs.status.write(text))
  const layout = createLayout(screen, options.hueOf, options.names)
  const stream = createTextStream()
  const linesOf = createEventLines({ ...options, hasMarks: screen.hasMarks, texts: 'all' })
  let chain: Promise<void> = Promise.resolve()
  let isAsking = false
  let lastText = ''
  let frame = 0

  const show = (lines: readonly ShownLine[]): void => {
    const shown = options.isQuiet ? lines.filter(({ isProblem }) => isProblem) : lines
    if (shown.length > 0) region.print(shown.flatMap(layout.lay), isAsking ? undefined : rowsNow())
  }
  const rowsNow = (): readonly Line[] => {
    const root = options.root()
    if (root === null || options.isQuiet) return []
    const [state, now, contextWindow] = [options.state(), options.now(), options.contextWindow()]
    const most = Math.max(1, screen.rows() - rowsKept)
    const open = [...stream.open.values()].slice(-most).flatMap((shown) => layout.lay(shown).slice(-1))
    return [...open, ...liveRows({ state, root, now, frame, hasMarks: screen.hasMarks, most, contextWindow, layout })]
  }
  const draw = (): void => {
    if (isAsking) return
    frame += 1
    region.draw(rowsNow())
  }
  const take = async (event: ProjectEvent): Promise<void> => {
    const agent = options.state().threads.get(event.threadId)?.agent ?? 'main'
    if (event.type === 'message.delta') {
      if (event.part === 'text' && !options.isQuiet) show(stream.take(event.threadId, agent, event.text, layout.room()))
      return
    }
    if (event.type === 'message.dropped') stream.drop(event.threadId)
    if (event.type === 'message' && event.message.role === 'assistant') {
      lastText = options.isQuiet ? '' : textOf(event.message.content)
      const rest = stream.end(event.threadId, agent)
      if (rest !== null) return show(rest)
    }
    if (event.type === 'message' && event.message.role === 'user') return
    show(await linesOf(event))
  }
  const timer = setInterval(draw, pace)
  timer.unref()
  return {
    event(event) {
      chain = chain.then(() => take(event))
    },
    ask(question) {
      const asked = chain.then(() => {
        isAsking = true
        region.clear()
        return question(region)
      })
      const done = () => {
        region.clear()
        isAsking = false
      }
      chain = asked.then(done, done)
      return asked
    },
    warn(sentence) {
      chain = chain.then(() => show([problemOf(null, sentence)]))
    },
    refresh: draw,
    settled: () => chain,
    async finish(report, facts) {
      await chain
      clearInterval(timer)
      region.clear()
      // The answer has streamed over the same terminal.
      const isShown = outputs.answer.isTTY === true && report.answer === lastText
      if (report.answer !== '' && !isShown) writeAnswer(outputs, report.answer)
      if (!options.isQuiet || report.status !== 'done') writeSummary(outputs, report, facts)
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      region.clear()
    },
  }
}
