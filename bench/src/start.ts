import {
  measureDefinitions,
  measureEmptyNode,
  measureFirstRequest,
  measureIdleMemory,
  measureVersion,
} from './start/command-line.ts'
import { measureBlankPage, measureWindow, type PageFigures } from './start/pages.ts'
import { type Sample, summarise } from './support/measure.ts'
import { type Goal, type Row, report, versus } from './support/report.ts'

// Goal 15: the time until the app is ready, and the memory that it holds while idle. The first argument is the
// browser's path.
const browser = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const node = { name: 'node -e 0', sample: summarise(await measureEmptyNode()) }
const { coppice: withDefinitions, peer: withoutDefinitions } = await measureDefinitions()
const rows: readonly Row[] = [
  {
    operation: 'coppice --version',
    unit: 'ms',
    coppice: summarise(await measureVersion()),
    peer: node,
    goal: { text: '≤ 150 ms', limit: 150 },
  },
  {
    operation: 'coppice run to its first request, new project',
    unit: 'ms',
    coppice: summarise(await measureFirstRequest()),
    peer: node,
    goal: { text: '≤ 400 ms', limit: 400 },
  },
  {
    operation: 'its first request with 500 commands and 200 skills',
    unit: 'ms',
    coppice: withDefinitions,
    ...versus('without them', withoutDefinitions, 1.1),
  },
  memoryRow('memory of coppice serve, idle', await measureIdleMemory()),
  ...(browser === undefined ? [] : pageRows(await measureBlankPage(browser), await measureWindow(browser))),
]
report('start', rows)

function pageRows(blank: PageFigures, window: PageFigures): readonly Row[] {
  return [
    pageRow('page usable in a running browser', window.inRunningBrowser, blank.inRunningBrowser),
    pageRow('coppice serve and browser from nothing to usable page', window.fromNothing, blank.fromNothing),
    memoryRow('memory of coppice serve, one page open', window.hostMb),
  ]
}

function pageRow(operation: string, figures: readonly number[], blank: readonly number[]): Row {
  const sample = summarise(blank)
  const peer = { name: 'blank Chromium page', sample }
  return { operation, unit: 'ms', coppice: summarise(figures), peer, goal: pageGoal(sample) }
}

function pageGoal({ median }: Sample): Goal {
  return { text: '≤ 1.6 × blank + 0.3 s', limit: 1.6 * median + 300 }
}

function memoryRow(operation: string, figures: readonly number[]): Row {
  return { operation, unit: 'MB', coppice: summarise(figures), goal: { text: '≤ 120 MB', limit: 120 } }
}
